/** The script of `package.json` that a package manager runs, and the package that has it. */
import { expect, test } from "vitest";
import { readStartCommand, startCommand } from "../../../src/core/running/env-files.ts";
import { packageRun } from "../../../src/core/running/package-run.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const NAMES = { "package.json": '{"workspaces":["packages/*"],"scripts":{"api":"node --env-file=wrong.env x.js"}}' };
const PNPM = { "package.json": "{}", "pnpm-workspace.yaml": "packages:\n  - 'packages/**' # all\n  - tools\n" };
const API = "packages/api";

test.each<[line: string, files: Readonly<Record<string, string>>, folder: string | null]>([
  ["npm start", NAMES, "."],
  ["npm --silent run start -- --prefix other", NAMES, "."],
  ["npm -w api run start", NAMES, API],
  ["npm run start --workspace=api", NAMES, API],
  ["npm -w packages/api start", NAMES, API],
  ["npm --prefix packages/api start", NAMES, API],
  ["npm -ws start", NAMES, null],
  ["npm -w api -w web start", NAMES, null],
  ["pnpm --filter api start", PNPM, API],
  ["pnpm -F ./packages/api run start --port 1", PNPM, API],
  ["pnpm --filter web start", PNPM, "packages/site/web"],
  ["pnpm --filter api... start", PNPM, null],
  ["pnpm -r start", PNPM, null],
  ["pnpm -C packages/api start", PNPM, API],
  ["pnpm start --filter api", PNPM, "."],
  ["pnpm exec turbo run start --filter=api", PNPM, API],
  ["yarn workspace api start", NAMES, API],
  ["yarn workspaces foreach run start", NAMES, null],
  ["yarn --cwd packages/api start", NAMES, API],
  ["bun run --filter api start", NAMES, API],
  ["turbo run start --filter=api", NAMES, API],
  ["npx turbo run start", NAMES, null],
  ["corepack pnpm --filter api start", PNPM, API],
  ["nx serve api", NAMES, null],
  ["npm -w unknown start", NAMES, null],
  ["node server.js", NAMES, "."],
])("%s", async (line, files, expected) => {
  const workspace = makeWorkspace({
    ...files,
    "packages/api/package.json": '{"name":"api","scripts":{"start":"node --env-file=own.env server.js"}}',
    "packages/site/web/package.json": '{"name":"@shop/web"}',
  });
  const [script = "", ...args] = line.split(" ");
  const start = { script: `/usr/bin/${script}`, args, cwd: workspace.root, env: {}, interpreter: "node" };
  const { folder, envFiles } = await readStartCommand(workspace.ports, startCommand(start));
  const path = (name: string): string => (name === "." ? workspace.root : workspace.path(name));
  expect(folder).toBe(expected === null ? null : path(expected));
  expect(envFiles).toEqual(expected === API ? [workspace.path("packages/api/own.env")] : []);
});

test("a program that starts no script is not a run", () => {
  expect([["npm"], ["npx"], ["npx", "--yes"], []].map((words) => packageRun(words))).toEqual(Array(4).fill(undefined));
});

const ROOT = {
  workspaces: ["packages/*"],
  scripts: {
    api: "npm start -w api",
    long: "npm run build && LEVEL=a npm run api",
    into: "cd packages/api && npm start",
    inside: 'cd "packages/api" && node --env-file=own.env server.js',
    both: "npm start -w api & npm start -w web",
    either: "npm start -w api || npm run fallback",
    all: "turbo run start",
    loop: "npm run loop",
    computed: "cd $HOME && npm start",
  },
};

test.each<[script: string, folder: string | null, scripts: readonly string[]]>([
  ["api", API, ["./api", `${API}/start`]],
  ["long", API, ["./long", "./api", `${API}/start`]],
  ["into", API, ["./into", `${API}/start`]],
  ["inside", API, ["./inside"]],
  ["both", ".", ["./both"]],
  ["either", ".", ["./either"]],
  ["all", null, ["./all"]],
  ["loop", ".", ["./loop"]],
  ["computed", null, ["./computed"]],
  ["gone", ".", ["./gone"]],
])("the script %s of a workspace works in %s", async (script, expected, scripts) => {
  const workspace = makeWorkspace({
    "package.json": JSON.stringify(ROOT),
    "packages/api/package.json": '{"name":"api","scripts":{"start":"node --env-file=own.env server.js"}}',
  });
  const path = (name: string): string => (name === "." ? workspace.root : workspace.path(name));
  const start = { script: "/usr/bin/npm", args: ["run", script], cwd: workspace.root, env: {}, interpreter: "node" };
  const named = await readStartCommand(workspace.ports, startCommand(start));
  expect(named.folder).toBe(expected === null ? null : path(expected));
  const shown = named.scripts.map(({ folder, name }) => `${folder}/${name}`.replace(workspace.root, "."));
  expect(shown.map((one) => one.replace("./packages", "packages"))).toEqual(scripts);
  expect(named.envFiles).toEqual(expected === API ? [workspace.path("packages/api/own.env")] : []);
});
