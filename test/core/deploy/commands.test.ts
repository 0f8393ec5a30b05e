import { describe, expect, test } from "vitest";
import { commandEnvironment, releaseCommands, type PackageFolder } from "../../../src/core/deploy/commands.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";

type Settings = Parameters<typeof releaseCommands>[2];
const BASE = "/release";
/** In a repository with one package. */
function commandsOf(place: Omit<PackageFolder, "folder">, settings: Settings = defaults) {
  const folder = { folder: BASE, ...place };
  return releaseCommands(BASE, [{ ...folder, services: [folder] }], settings);
}
const PNPM_PRUNE = [
  "pnpm",
  "install",
  "--prod",
  "--frozen-lockfile",
  "--offline",
  "--ignore-scripts",
  "--config.modules-cache-max-age=0",
];
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
        ["prune", ["npm", "prune", "--omit=dev", "--ignore-scripts"]],
      ],
    ],
    [
      "pnpm",
      ["pnpm-lock.yaml"],
      pack({ devDependencies: dependencies }),
      [
        ["install", ["pnpm", "install", "--frozen-lockfile"]],
        ["prune", PNPM_PRUNE],
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
    const commands = commandsOf({ names, packageText });
    expect(commands.map(({ name, command }) => [name, command])).toEqual(expected);
  });

  test("declared commands replace them, and false leaves one out", () => {
    const folder = { names: ["package.json"], packageText: pack({ dependencies, scripts: { build: "tsc" } }) };
    expect(commandsOf(folder, { install: "make deps", build: false, check: ["node", "check.js"] })).toEqual([
      { name: "install", command: "make deps", cwd: BASE },
      { name: "check", command: ["node", "check.js"], cwd: BASE },
    ]);
  });
});

describe("a workspace", () => {
  const service = (name: string, more: object) => ({
    folder: `${BASE}/packages/${name}`,
    names: ["package.json"],
    packageText: pack(more),
  });
  const built = { scripts: { build: "tsc" }, devDependencies: dependencies };
  const places = (names: readonly string[], more: object, services = [service("api", built)]) =>
    releaseCommands(BASE, [{ folder: BASE, names, packageText: pack(more), services }], defaults).map(
      ({ name, command, cwd }) => [name, (command as string[]).slice(0, 3).join(" "), cwd],
    );

  test("builds its service if it has no build of the whole, and leaves out the development packages of both", () => {
    expect(places(["package-lock.json"], { workspaces: ["packages/*"] })).toEqual([
      ["install", "npm ci --prefer-offline", BASE],
      ["build", "npm run build", `${BASE}/packages/api`],
      ["prune", "npm prune --omit=dev", BASE],
    ]);
  });
  test("prefers the build of the whole", () => {
    expect(places(["package-lock.json"], { scripts: { build: "turbo build" } })[1]).toEqual([
      "build",
      "npm run build",
      BASE,
    ]);
  });
  test("of pnpm is installed again without development packages", () => {
    const none = [service("api", {})];
    expect(places(["pnpm-lock.yaml", "pnpm-workspace.yaml"], {}, none)).toEqual([
      ["install", "pnpm install --frozen-lockfile", BASE],
      ["prune", "pnpm install --prod", BASE],
    ]);
  });
  test("without a lockfile is refused for the dependencies of a service", () => {
    expect(() => places([], {})).toThrow(SvcmError);
  });
  test("services with separate lockfiles are installed one by one, and then built", () => {
    const folder = (name: string) => {
      const own = {
        folder: `${BASE}/${name}`,
        names: ["package-lock.json"],
        packageText: pack({ scripts: { build: "tsc" } }),
      };
      return { ...own, services: [own] };
    };
    const commands = releaseCommands(BASE, [folder("api"), folder("jobs")], defaults);
    expect(commands.map(({ name, cwd }) => [name, cwd])).toEqual([
      ["install", `${BASE}/api`],
      ["install", `${BASE}/jobs`],
      ["build", `${BASE}/api`],
      ["build", `${BASE}/jobs`],
    ]);
  });
});

test.each([
  ["LOCKFILE_AMBIGUOUS", ["package-lock.json", "yarn.lock"], pack({ dependencies })],
  ["LOCKFILE_MISSING", ["package.json"], pack({ dependencies })],
  ["PACKAGE_INVALID", ["package.json"], "{"],
  ["PACKAGE_INVALID", ["package.json"], "[]"],
] as const)("%s is refused", (code, names, packageText) => {
  const commands = (): unknown => commandsOf({ names, packageText });
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

test.each([
  ["yarn@1.22.22", [], "--frozen-lockfile"],
  ["yarn@2.4.3", [], "--immutable"],
  ["yarn@4.1.0+sha224.abc", [], "--immutable"],
  ["yarn@10.0.0", [], "--immutable"],
  [undefined, [], "--frozen-lockfile"],
  [undefined, [".yarnrc.yml"], "--immutable"],
])("yarn that is named %s, beside %j, is kept to its lockfile by %s", (packageManager, more, flag) => {
  const packageText = JSON.stringify({ packageManager });
  const folder = { folder: "/d", names: ["yarn.lock", ...more], packageText, services: [] };
  expect(releaseCommands("/d", [folder], defaults)[0]?.command).toEqual(["yarn", "install", flag]);
});
