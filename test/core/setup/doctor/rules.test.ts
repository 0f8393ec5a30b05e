/** The findings of a repository, from facts about its files. */
import { expect, test } from "vitest";
import {
  filesWithSecrets,
  type ConfiguredFile,
  type RepositoryState,
} from "../../../../src/core/setup/doctor/examine.ts";
import { doctorChecks, doctorIssues } from "../../../../src/core/setup/doctor/rules.ts";

const QUIET: RepositoryState = {
  isSetUp: true,
  isEmpty: false,
  places: [],
  bareEnvironments: [],
  unnamed: [],
  scripts: [],
  tracked: [],
  unignored: [],
  publicSecrets: [],
  unsetKeys: [],
  unusedKeys: [],
  unloaded: [],
  undecryptable: [],
  guesses: [],
  overrides: [],
  undeclaredApps: [],
};

const place = (kind: "env" | "ecosystem", path: string, exists: boolean, more: Partial<ConfiguredFile> = {}) => ({
  kind,
  environment: "dev",
  service: "",
  path,
  exists,
  overridden: [],
  ...more,
});

test.each<[string, Partial<RepositoryState>, string[]]>([
  ["nothing", {}, []],
  ["no svcm.yaml", { isSetUp: false, unnamed: [".env"] }, ["error PROJECT_NOT_SET_UP"]],
  ["a file that no environment names", { unnamed: [".env", "a.js"] }, Array(2).fill("warning PROJECT_FILE_UNNAMED")],
  ["files that are there", { places: [place("env", ".env", true), place("ecosystem", "e.js", true)] }, []],
  ["no env file", { places: [place("env", ".env", false)] }, ["warning PROJECT_FILE_MISSING"]],
  ["no ecosystem file", { places: [place("ecosystem", "e.js", false)] }, ["error PROJECT_FILE_MISSING"]],
  ["one layer of two", { places: [place("env", ".env", true), place("env", ".env.dev", false)] }, []],
  [
    "one ecosystem file of two",
    { places: [place("ecosystem", "a.js", true), place("ecosystem", "b.js", false)] },
    ["error PROJECT_FILE_MISSING"],
  ],
  [
    "a layer of another environment, and of another service",
    {
      places: [
        place("env", ".env", false),
        place("env", ".env.prod", true, { environment: "production" }),
        place("env", "mail/.env", true, { service: "mail" }),
      ],
    },
    ["warning PROJECT_FILE_MISSING"],
  ],
  ["an environment without files", { bareEnvironments: ["qa"] }, ["warning PROJECT_ENVIRONMENT_BARE"]],
  ["a secret in Git", { tracked: [{ path: ".env", keys: ["TOKEN"] }] }, ["warning PROJECT_SECRET_TRACKED"]],
  [
    "a secret that Git may take",
    { unignored: [{ path: ".env", keys: ["TOKEN"] }] },
    ["warning PROJECT_SECRET_NOT_IGNORED"],
  ],
  ["a secret in the browser", { publicSecrets: ["VITE_SECRET"] }, ["warning PROJECT_SECRET_PUBLIC"]],
  ["keys that no file sets", { unsetKeys: ["A", "B"] }, ["warning PROJECT_KEYS_UNSET"]],
  ["keys that nothing reads", { unusedKeys: ["A"] }, ["warning PROJECT_KEYS_UNUSED"]],
  ["an env file that nothing loads", { unloaded: [".env"] }, ["warning ENV_FILE_UNLOADED"]],
  ["guesses", { guesses: ["A"] }, ["warning PROJECT_KEYS_GUESSED"]],
  ["apps that no file declares", { undeclaredApps: ["api"] }, ["warning PROJECT_APPS_UNDECLARED"]],
  ["an encrypted file", { undecryptable: [".env"] }, ["warning PROJECT_DOTENVX_MISSING"]],
])("of a repository with %s", (_what, state, expected) => {
  const issues = doctorChecks.flatMap((check) => doctorIssues(check, { ...QUIET, ...state }));
  expect(issues.map(({ severity, code }) => `${severity} ${code}`)).toEqual(expected);
});

test.each([
  ["DB_PASSWORD=hunter2secret", ["DB_PASSWORD"]],
  ["DATABASE_URL=postgres://app:hunter2secret@db/shop", ["DATABASE_URL"]],
  ["DATABASE_URL=postgres://db/shop", []],
  ["PORT=3000", []],
  ["DB_PASSWORD=<password>", []],
])("a file with %s holds the secrets %j", (text, keys) => {
  const files = new Map([[".env", `${text}\n`]]);
  const file = { path: ".env", kind: "values", isEncrypted: false };
  const found = (more: object, paths: readonly string[]) =>
    filesWithSecrets({ files }, { env: [{ ...file, ...more } as never] }, paths);
  expect(found({}, [".env"])).toEqual(keys.length === 0 ? [] : [{ path: ".env", keys }]);
  expect(found({ isEncrypted: true }, [".env"])).toEqual([]);
  expect(found({ kind: "template" }, [".env"])).toEqual([]);
  expect(found({}, [])).toEqual([]);
});
