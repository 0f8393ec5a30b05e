import { describeGuesses } from "../../project/keys.ts";
import { type DoctorRule, isSameGroup, type RepositoryState } from "./examine.ts";
import type { Issue } from "../../api/issue.ts";
import { overrideText } from "../../project/folder-variables.ts";
import { findingsOf, toIssue } from "../../findings/rule.ts";
import { nameList } from "../../words/pluralize.ts";

const notSetUp: DoctorRule = {
  code: "PROJECT_NOT_SET_UP",
  severity: "error",
  summary: "The repository has PM2 or env files that svcm does not use, because it has no `svcm.yaml`.",
  remedy: "Run `svcm init`: it shows a proposal for `svcm.yaml`, and writes it after you agree.",
  *check({ isSetUp, unnamed }) {
    if (isSetUp) return;
    yield { message: `the repository has no svcm.yaml, so svcm does not use ${nameList(unnamed)}` };
  },
};

const unnamedFiles: DoctorRule = {
  code: "PROJECT_FILE_UNNAMED",
  severity: "warning",
  summary: "No environment names the PM2 or env file, so svcm does not use it (warning).",
  remedy: "Add the file below `ecosystem` or `env` in `svcm.yaml`, or delete it if nothing uses it.",
  check: ({ isSetUp, unnamed }) =>
    isSetUp ? unnamed.map((file) => ({ path: [file], file, message: `no environment names ${file}` })) : [],
};

const missingFiles: DoctorRule = {
  code: "PROJECT_FILE_MISSING",
  severity: "error",
  summary: "`svcm.yaml` names a file that does not exist. For an env file, this is a warning.",
  explanation: "Env files are often outside of version control, so a fresh checkout lacks them.",
  remedy: "Create the file, for example from its template, or correct its path in `svcm.yaml`.",
  *check({ places }) {
    for (const place of places) {
      const { kind, environment, path, exists } = place;
      const hasLayer = kind === "env" && places.some((other) => other.exists && isSameGroup(other, place));
      if (exists || hasLayer) continue;
      const what = kind === "env" ? "env file" : "ecosystem file";
      const message = `the ${what} ${path} of the environment ${environment} does not exist`;
      yield { path: [environment, path], message, ...(kind === "env" && { severity: "warning" }) };
    }
  },
};

const bareEnvironments: DoctorRule = {
  code: "PROJECT_ENVIRONMENT_BARE",
  severity: "warning",
  summary: "An environment of `svcm.yaml` has neither an env file nor an ecosystem file (warning).",
  remedy: "Add a file of the environment below `ecosystem` or `env` in `svcm.yaml`, or remove the environment.",
  check: ({ bareEnvironments: names }) =>
    names.map((name) => ({
      path: [name],
      message: `the environment ${name} has neither an env file nor an ecosystem file`,
    })),
};

const folderVariables: DoctorRule = {
  code: "PROJECT_FOLDER_OVERRIDDEN",
  severity: "warning",
  summary: "A variable names the folder of files that `svcm.yaml` names, and the variable wins (warning).",
  explanation:
    "The names of the files stay those of `svcm.yaml`; a template and the ways to start an app do not change.",
  remedy: "Unset the variable, or keep it if the files of this machine are in that folder.",
  check: ({ overrides }) => overrides.map((one) => ({ path: [one.variable], message: overrideText(one) })),
};

const scriptLikeFiles: DoctorRule = {
  code: "PROJECT_FILE_AS_SCRIPT",
  severity: "warning",
  summary: "The file is named like an ecosystem file, but PM2 would run it as a script (warning).",
  explanation: "PM2 reads `.config.cjs`, `.config.js`, `.config.mjs`, `.json`, `.yml` and `.yaml` as declarations.",
  remedy: "Rename the file to end in `.config.cjs`; a TypeScript file must be compiled first.",
  check: ({ scripts }) =>
    scripts.map((file) => ({
      path: [file],
      file,
      message: `PM2 would run ${file} as a script, not read it as a declaration`,
    })),
};

const guessedKeys: DoctorRule = {
  code: "PROJECT_KEYS_GUESSED",
  severity: "warning",
  summary: "Keys of `svcm.yaml` are unconfirmed guesses of `svcm init` (warning).",
  explanation: "A guess may let a value be shown, but never changed.",
  remedy:
    "Review them with `svcm keys list`, then run `svcm keys confirm KEY`, or `svcm keys confirm --all`. `svcm keys allow` lets svcm write a key, and `svcm keys hide` hides it.",
  *check({ guesses }) {
    if (guesses.length === 0) return;
    yield { message: `${describeGuesses(guesses.length)}: ${nameList(guesses)}` };
  },
};

const trackedSecrets: DoctorRule = {
  code: "PROJECT_SECRET_TRACKED",
  severity: "warning",
  summary: "Git tracks an env file that holds secrets (warning).",
  remedy:
    "Change the secrets, because the history of Git keeps them. Then run `git rm --cached <file>`, and add the file to `.gitignore`.",
  check: ({ tracked }) =>
    tracked.map(({ path: file, keys }) => ({
      path: [file],
      file,
      message: `Git tracks ${file}, which holds ${nameList(keys)}`,
    })),
};

const unignoredSecrets: DoctorRule = {
  code: "PROJECT_SECRET_NOT_IGNORED",
  severity: "warning",
  summary: "Git does not ignore an env file that holds secrets, so the next `git add` may commit it (warning).",
  remedy: "Add the file to `.gitignore`.",
  check: ({ unignored }) =>
    unignored.map(({ path: file, keys }) => ({
      path: [file],
      file,
      message: `Git does not ignore ${file}, which holds ${nameList(keys)}`,
    })),
};

const publicSecrets: DoctorRule = {
  code: "PROJECT_SECRET_PUBLIC",
  severity: "warning",
  summary: "The name of a key says secret, but its prefix puts the value into the code that browsers load (warning).",
  remedy: "Rename the key without the prefix and read it on the server, or name it so that it does not say secret.",
  check: ({ publicSecrets: keys }) =>
    keys.map((key) => ({ path: [key], message: `${key} is named like a secret, and its prefix makes it public` })),
};

const unsetKeys: DoctorRule = {
  code: "PROJECT_KEYS_UNSET",
  severity: "warning",
  summary: "The code reads keys that no env file and no ecosystem file names (warning).",
  explanation: "svcm looks for `process.env` in JavaScript and TypeScript.",
  remedy: "Add the keys to the template and the env files, if the code has no default for them.",
  *check({ unsetKeys: keys }) {
    if (keys.length > 0) yield { message: `the code reads ${nameList(keys)}, which no file sets` };
  },
};

const unusedKeys: DoctorRule = {
  code: "PROJECT_KEYS_UNUSED",
  severity: "warning",
  summary: "Env files set keys that no other file of the repository mentions (warning).",
  explanation: "A library may read them, or a program outside of the repository.",
  remedy: "Keep what a library or another program reads, and remove the rest.",
  *check({ unusedKeys: keys }) {
    if (keys.length > 0) yield { message: `env files set ${nameList(keys)}, which no other file mentions` };
  },
};

const undecryptableFiles: DoctorRule = {
  code: "PROJECT_DOTENVX_MISSING",
  severity: "warning",
  summary: "An env file is encrypted with dotenvx, which is not installed (warning).",
  remedy: "Run `npm install @dotenvx/dotenvx`, or install the program dotenvx in the PATH.",
  check: ({ undecryptable }) =>
    undecryptable.map((file) => ({
      path: [file],
      file,
      message: `${file} is encrypted, and dotenvx is not installed`,
    })),
};

/** In report order. `running` and `boot` depend on this machine. */
export const doctorChecks = ["layout", "ecosystem", "env", "running", "boot", "keys"] as const;
export type DoctorCheck = (typeof doctorChecks)[number];

export const doctorRules: Readonly<Record<DoctorCheck, readonly DoctorRule[]>> = {
  layout: [notSetUp, folderVariables, unnamedFiles, missingFiles, bareEnvironments],
  ecosystem: [scriptLikeFiles],
  env: [trackedSecrets, unignoredSecrets, publicSecrets, unsetKeys, unusedKeys, undecryptableFiles],
  running: [],
  boot: [],
  keys: [guessedKeys],
};

export function doctorIssues(check: DoctorCheck, examined: RepositoryState): Issue[] {
  return Array.from(findingsOf(doctorRules[check], examined), ({ file, ...finding }) => ({
    ...toIssue(finding, [check]),
    ...(file !== undefined && { at: { file, line: 1, column: 1 } }),
  }));
}
