import { describe, expect, test } from "vitest";
import { commandEnvironment, releaseCommands } from "../../../src/core/deploy/commands.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";

const defaults = { install: undefined, build: undefined, check: undefined };
const pack = (more: object): string => JSON.stringify({ name: "shop", ...more });
const dependencies = { a: "1" };
const NPM_CI = ["npm", "ci", "--prefer-offline", "--no-audit", "--no-fund"];

describe("the lockfile chooses the commands", () => {
  test.each([
    ["no package.json", [], undefined, []],
    ["no dependencies", ["package.json"], pack({}), []],
    ["npm", ["package-lock.json"], pack({ dependencies }), [["install", NPM_CI]]],
    [
      "npm with a build",
      ["npm-shrinkwrap.json"],
      pack({ devDependencies: dependencies, scripts: { build: "tsc" } }),
      [
        ["install", NPM_CI],
        ["build", ["npm", "run", "build"]],
        ["prune", ["npm", "prune", "--omit=dev"]],
      ],
    ],
    [
      "pnpm",
      ["pnpm-lock.yaml"],
      pack({ devDependencies: dependencies }),
      [
        ["install", ["pnpm", "install", "--frozen-lockfile"]],
        ["prune", ["pnpm", "prune", "--prod"]],
      ],
    ],
    ["yarn 1", ["yarn.lock"], pack({ dependencies }), [["install", ["yarn", "install", "--frozen-lockfile"]]]],
    [
      "yarn 4",
      ["yarn.lock"],
      pack({ dependencies, packageManager: "yarn@4.1.0" }),
      [["install", ["yarn", "install", "--immutable"]]],
    ],
    [
      "yarn 4 by its settings",
      ["yarn.lock", ".yarnrc.yml"],
      pack({ dependencies }),
      [["install", ["yarn", "install", "--immutable"]]],
    ],
    ["bun", ["bun.lockb"], pack({ dependencies }), [["install", ["bun", "install", "--frozen-lockfile"]]]],
    [
      "two lockfiles and a named manager",
      ["package-lock.json", "pnpm-lock.yaml"],
      pack({ dependencies, packageManager: "pnpm@9.0.0" }),
      [["install", ["pnpm", "install", "--frozen-lockfile"]]],
    ],
  ] as const)("%s", (_what, names, packageText, expected) => {
    const commands = releaseCommands({ names, packageText }, defaults);
    expect(commands.map(({ name, command }) => [name, command])).toEqual(expected);
  });

  test("declared commands replace them, and false leaves one out", () => {
    const folder = { names: ["package.json"], packageText: pack({ dependencies, scripts: { build: "tsc" } }) };
    expect(releaseCommands(folder, { install: "make deps", build: false, check: ["node", "check.js"] })).toEqual([
      { name: "install", command: "make deps" },
      { name: "check", command: ["node", "check.js"] },
    ]);
  });
});

test.each([
  ["LOCKFILE_AMBIGUOUS", ["package-lock.json", "yarn.lock"], pack({ dependencies })],
  ["LOCKFILE_MISSING", ["package.json"], pack({ dependencies })],
  ["PACKAGE_INVALID", ["package.json"], "{"],
  ["PACKAGE_INVALID", ["package.json"], "[]"],
] as const)("%s is refused", (code, names, packageText) => {
  const commands = (): unknown => releaseCommands({ names, packageText }, defaults);
  expect(commands).toThrow(SvcmError);
  expect(commands).toThrow(expect.objectContaining({ body: expect.objectContaining({ code }) }));
});

test("commands see the machine and the package registry, but no value of an app and nothing that drops packages", () => {
  const env = {
    PATH: "/bin",
    HOME: "/home/a",
    LC_ALL: "C",
    https_proxy: "http://proxy",
    npm_config_registry: "https://r",
    npm_config_omit: "dev",
    NODE_ENV: "production",
    API_TOKEN: "canary",
    GIT_DIR: "/elsewhere",
  };
  expect(commandEnvironment(env, { SENTRY_RELEASE: "1" })).toEqual({
    PATH: "/bin",
    HOME: "/home/a",
    LC_ALL: "C",
    https_proxy: "http://proxy",
    npm_config_registry: "https://r",
    CI: "1",
    SENTRY_RELEASE: "1",
  });
});
