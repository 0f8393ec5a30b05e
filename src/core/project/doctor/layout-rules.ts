import { guessesText } from "../keys.ts";
import { type DoctorRule, isSameStack } from "./examined.ts";

export const notSetUp: DoctorRule = {
  code: "PROJECT_NOT_SET_UP",
  severity: "error",
  summary: "The repository has PM2 or env files that svcm does not use, because it has no `svcm.yaml`.",
  remedy: "Run `svcm init`: it shows a proposal for `svcm.yaml`, and writes it after you agree.",
  *check({ isSetUp, unnamed }) {
    if (isSetUp) return;
    yield { message: `the repository has no svcm.yaml, so svcm does not use ${shortList(unnamed)}` };
  },
};

export const unnamedFiles: DoctorRule = {
  code: "PROJECT_FILE_UNNAMED",
  severity: "warning",
  summary: "No environment names the PM2 or env file, so svcm does not use it (warning).",
  remedy: "Add the file below `ecosystem` or `env` in `svcm.yaml`, or delete it if nothing uses it.",
  check: ({ isSetUp, unnamed }) =>
    isSetUp ? unnamed.map((file) => ({ path: [file], file, message: `no environment names ${file}` })) : [],
};

export const missingFiles: DoctorRule = {
  code: "PROJECT_FILE_MISSING",
  severity: "error",
  summary: "`svcm.yaml` names a file that does not exist. For an env file, this is a warning.",
  explanation: "Env files are often outside of version control, so a fresh checkout lacks them.",
  remedy: "Create the file, for example from its template, or correct its path in `svcm.yaml`.",
  *check({ places }) {
    for (const place of places) {
      const { kind, environment, path, exists } = place;
      const hasLayer = kind === "env" && places.some((other) => other.exists && isSameStack(other, place));
      if (exists || hasLayer) continue;
      const what = kind === "env" ? "env file" : "ecosystem file";
      const message = `the ${what} ${path} of the environment ${environment} does not exist`;
      yield { path: [environment, path], message, ...(kind === "env" && { severity: "warning" }) };
    }
  },
};

export const bareEnvironments: DoctorRule = {
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

export const scriptLikeFiles: DoctorRule = {
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

export const guessedKeys: DoctorRule = {
  code: "PROJECT_KEYS_GUESSED",
  severity: "warning",
  summary: "Keys of `svcm.yaml` are unconfirmed guesses of `svcm init` (warning).",
  explanation: "A guess may let a value be shown, but never changed.",
  remedy:
    "Review them with `svcm keys list`, then run `svcm keys confirm KEY`, or `svcm keys confirm --all`. `svcm keys set-tier` changes a tier.",
  *check({ guesses }) {
    if (guesses.length === 0) return;
    yield { message: `${guessesText(guesses.length)}: ${shortList(guesses)}` };
  },
};

const SHOWN = 6;

export function shortList(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  return `${names.slice(0, SHOWN).join(", ")}${more}`;
}
