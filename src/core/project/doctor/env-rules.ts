import { shortList } from "./layout-rules.ts";
import type { DoctorRule } from "./examined.ts";

export const trackedSecrets: DoctorRule = {
  code: "PROJECT_SECRET_TRACKED",
  severity: "warning",
  summary: "Git tracks an env file that holds secrets (warning).",
  remedy:
    "Change the secrets, because the history of Git keeps them. Then run `git rm --cached <file>`, and add the file to `.gitignore`.",
  check: ({ tracked }) =>
    tracked.map(({ path: file, keys }) => ({
      path: [file],
      file,
      message: `Git tracks ${file}, which holds ${shortList(keys)}`,
    })),
};

export const publicSecrets: DoctorRule = {
  code: "PROJECT_SECRET_PUBLIC",
  severity: "warning",
  summary: "The name of a key says secret, but its prefix puts the value into the code that browsers load (warning).",
  remedy: "Rename the key without the prefix and read it on the server, or name it so that it does not say secret.",
  check: ({ publicSecrets: keys }) =>
    keys.map((key) => ({ path: [key], message: `${key} is named like a secret, and its prefix makes it public` })),
};

export const keysOfCode: DoctorRule = {
  code: "PROJECT_KEYS_UNSET",
  severity: "warning",
  summary: "The code reads keys that no env file and no ecosystem file names (warning).",
  explanation: "svcm looks for `process.env` in JavaScript and TypeScript.",
  remedy: "Add the keys to the template and the env files, if the code has no default for them.",
  *check({ keysOfCode: keys }) {
    if (keys.length > 0) yield { message: `the code reads ${shortList(keys)}, which no file sets` };
  },
};

export const keysOfFiles: DoctorRule = {
  code: "PROJECT_KEYS_UNUSED",
  severity: "warning",
  summary: "Env files set keys that no other file of the repository mentions (warning).",
  explanation: "A library may read them, or a program outside of the repository.",
  remedy: "Remove the keys that nothing reads.",
  *check({ keysOfFiles: keys }) {
    if (keys.length > 0) yield { message: `env files set ${shortList(keys)}, which no other file mentions` };
  },
};

export const lockedFiles: DoctorRule = {
  code: "PROJECT_DOTENVX_MISSING",
  severity: "warning",
  summary: "An env file is encrypted with dotenvx, which is not installed (warning).",
  remedy: "Run `npm install @dotenvx/dotenvx`, or install the program dotenvx in the PATH.",
  check: ({ locked }) =>
    locked.map((file) => ({ path: [file], file, message: `${file} is encrypted, and dotenvx is not installed` })),
};
