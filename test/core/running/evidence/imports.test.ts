/** Code of an app outside of its folder: files that its programs name by relative paths, and generated clients. */
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CodeRequest } from "../../../../src/core/running/port-running-code.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { makeScene, write, type Scene } from "./scenes.ts";

const FILES = {
  "apps/api/package.json": "{}",
  "apps/api/src/server.js": 'const lib = require("../../../lib/shared.js"); import("../../../lib/typed.js");',
  "apps/api/src/server.test.js": 'require("../../../lib/testing.js")',
  "lib/shared.js": "exports.text = require('./text');\nexports.rates = require(`./rates.json`);",
  "lib/text/index.js": "1",
  "lib/rates.json": "{}",
  "lib/typed.ts": "1",
  "lib/other.js": "1",
  "lib/testing.js": "1",
};

async function started(scene: Scene, more: Partial<CodeRequest> = {}): Promise<CodeRequest> {
  const cwd = join(scene.root, "apps/api");
  return scene.start({ cwd, script: "/usr/bin/npm", ...more });
}

describe.each([
  ["with Git", true],
  ["without Git", false],
])("%s", (_, hasGit) => {
  test.each(["lib/shared.js", "lib/text/index.js", "lib/rates.json", "lib/typed.ts"])("%s is code", async (path) => {
    const scene = makeScene(hasGit, FILES);
    const [recorded, unrecorded] = [await started(scene), await started(scene)];
    expect(await scene.verdict(recorded)).toBe("same");
    write(scene.root, { "lib/other.js": "2", "lib/testing.js": "2" });
    expect(await scene.verdict(recorded)).toBe("same");
    write(scene.root, { [path]: "2" });
    for (const request of [recorded, unrecorded])
      expect(await scene.verdict(request)).toMatch(
        hasGit ? /^changed different: .*lib\// : `changed stale: ../../${path}`,
      );
  });

  test("a file that is gone is a change", async () => {
    const scene = makeScene(hasGit, FILES);
    const request = await started(scene);
    expect(await scene.verdict(request)).toBe("same");
    rmSync(join(scene.root, "lib/typed.ts"));
    expect(await scene.verdict(request)).toMatch(/^changed \w+: \.\.\/\.\.\/lib\/typed\.ts$/);
  });
});

const JOINED = {
  "apps/api/package.json": "{}",
  "apps/api/src/server.js": `
    const ROOT = path.join(__dirname, "..", "..", "..");
    require(path.join(ROOT, "lib", "shared"));
    fs.readFileSync(path.join(ROOT, "rates.json"));
    fs.writeFileSync(path.join(ROOT, "state.json"), "");
    fs.readFileSync(path.join(ROOT, "state.json"));
    for (const name of names) require(path.join(ROOT, "plugins", name));
    require(path.join(__dirname, "..", name));
    require(path.join(ROOT, name));
    fs.createWriteStream(path.join(ROOT, "logs", name));
  `,
  "lib/shared.js": 'fork(new URL("worker.js", import.meta.url))',
  "lib/worker.js": "1",
  "plugins/first.js": 'require(path.join(__dirname, "../lib/plugin.js"))',
  "lib/plugin.js": "1",
  "rates.json": "{}",
  "state.json": "{}",
  "other.js": "1",
};
const JOINED_CODE = ["lib/shared.js", "lib/worker.js", "plugins/first.js", "lib/plugin.js", "rates.json"];

describe.each([
  ["with Git", true],
  ["without Git", false],
])("named by joined parts, %s", (_, hasGit) => {
  test.each(JOINED_CODE)("%s is code", async (path) => {
    const scene = makeScene(hasGit, JOINED);
    const [recorded, unrecorded] = [await started(scene), await started(scene)];
    expect(await scene.verdict(recorded)).toBe("same");
    write(scene.root, { "state.json": "2", "other.js": "2", "logs/api.log": "2" });
    for (const request of [recorded, unrecorded]) expect(await scene.verdict(request)).toBe("same");
    write(scene.root, { [path]: "2" });
    for (const request of [recorded, unrecorded])
      expect(await scene.verdict(request)).toMatch(new RegExp(`^changed \\w+: .*${path}$`));
  });
});

test.each([
  ["too long", "x".repeat(300)],
  ["no text of a path", "a\0b"],
])("a name that is %s names no code", async (_, name) => {
  const scene = makeScene(false, {
    "apps/api/package.json": "{}",
    "apps/api/src/server.js": `
      require("../../../${name}.js");
      fs.readFileSync("${name}.json");
      require(path.join(__dirname, "../../../${name}", name));
      require("../../../lib/shared.js");
    `,
    "lib/shared.js": "1",
  });
  const request = await started(scene);
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "lib/shared.js": "2" });
  expect(await scene.verdict(request)).toBe("changed stale: ../../lib/shared.js");
});

test("another commit is named with its files, and code.exclude leaves out what would count", async () => {
  const scene = makeScene(true, FILES);
  const [request, without] = [await started(scene), await started(scene, { exclude: ["../../lib/**"] })];
  write(scene.root, { "lib/shared.js": "2" });
  scene.repository?.commit("two");
  scene.moveHeadLater();
  expect(await scene.verdict(request)).toMatch(/^changed different: [0-9a-f]{7} to [0-9a-f]{7}, 1 file$/);
  expect(await scene.verdict(without)).toBe("same");
});

test("an alias of tsconfig.json counts where it is used, also that of a file which it extends", async () => {
  const scene = makeScene(false, {
    "apps/api/package.json": "{}",
    "apps/api/src/main.ts": 'import { log } from "@shop/log"; import name from "@shop/names/first";',
    "apps/api/tsconfig.json": '{ "extends": "../../tsconfig.base.json", /* "paths": {} */ }',
    "tsconfig.base.json": `{
      // The libraries of the shop
      "compilerOptions": { "paths": { "@shop/log": ["./libs/log/index.ts"], "@shop/names/*": ["libs/names/*"], "@shop/mail": ["libs/mail/index.ts"], } }
    }`,
    "libs/log/index.ts": 'import "./format"; import "@shop/names/second";',
    "libs/log/format.ts": "1",
    "libs/names/first.ts": "1",
    "libs/names/second.ts": "1",
    "libs/mail/index.ts": "1",
  });
  const request = await started(scene);
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "libs/mail/index.ts": "2", "libs/names/third.ts": "2" });
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "libs/log/format.ts": "2", "libs/names/first.ts": "2", "libs/names/second.ts": "2" });
  expect(await scene.verdict(request)).toBe(
    "changed stale: 3 files: ../../libs/log/format.ts, ../../libs/names/first.ts, ../../libs/names/second.ts",
  );
});

test("a folder of the repository to which a shell changed is code, and no exchange of the declared one", async () => {
  const scene = makeScene(true, {
    "api/start.sh": "cd ../other; exec node server.js",
    "other/server.js": "1",
    "more/a.js": "1",
  });
  const start = await scene.start({ cwd: join(scene.root, "other"), script: join(scene.root, "api/start.sh") });
  const request = { ...start, cwd: join(scene.root, "api") };
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "more/a.js": "2", "api/api.log": "1" });
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "other/server.js": "2" });
  expect(await scene.verdict(request)).toBe("changed stale: ../other/server.js");
});

test("another project to which a shell changed is code, and another folder is not", async () => {
  const other = temporaryFolder();
  write(other, { "package.json": "{}", "server.js": "1" });
  const scene = makeScene(true, { "package.json": "{}", "start.sh": "exec node server.js" });
  const start = await scene.start({ cwd: other, script: join(scene.root, "start.sh") });
  const request = { ...start, cwd: scene.root };
  write(other, { "server.js": "2" });
  expect(await scene.verdict(request)).toMatch(/^changed stale: \/.*\/server\.js$/);
  rmSync(join(other, "package.json"));
  expect(await scene.verdict(request)).toBe("same");
});

test("a folder to which a program changed by itself is not its code", async () => {
  const scene = makeScene(true, { "api/package.json": "{}", "api/server.js": "1", "other/server.js": "1" });
  const start = await scene.start({ cwd: join(scene.root, "other"), script: join(scene.root, "api/server.js") });
  const request = { ...start, cwd: join(scene.root, "api") };
  expect(await scene.verdict(request)).toBe("same");
  write(scene.root, { "other/server.js": "2" });
  expect(await scene.verdict(request)).toBe("same");
});

test("a file that needs itself, and one that is not there, end the search", async () => {
  const scene = makeScene(false, {
    ...FILES,
    "lib/shared.js": 'require("./a.js"); require("./missing.js")',
    "lib/a.js": 'require("./shared.js")',
  });
  expect(await scene.verdict(await started(scene))).toBe("same");
});

describe("a client that is generated beside an installed library", () => {
  const client = "@prisma+client@6/node_modules";
  test.each([
    ["npm", "node_modules/@prisma/client", "node_modules/.prisma/client"],
    ["pnpm", `node_modules/.pnpm/${client}/@prisma/client`, `node_modules/.pnpm/${client}/.prisma/client`],
  ])("is code, without a change of the lockfile: %s", async (_manager, library, output) => {
    const scene = makeScene(false, {
      "package.json": JSON.stringify({ dependencies: { db: "*" } }),
      "pnpm-lock.yaml": "",
      "server.js": "",
      "packages/db/package.json": JSON.stringify({ dependencies: { "@prisma/client": "6" } }),
      [`${library}/index.js`]: "",
      [`${output}/index.js`]: "1",
      [`${output}/index.d.ts`]: "1",
    });
    mkdirSync(join(scene.root, "packages/db/node_modules/@prisma"), { recursive: true });
    symlinkSync(join(scene.root, library), join(scene.root, "packages/db/node_modules/@prisma/client"));
    symlinkSync("../packages/db", join(scene.root, "node_modules/db"));
    const request = await scene.start();
    expect(await scene.verdict(request)).toBe("same");
    write(scene.root, { [`${output}/index.d.ts`]: "2" });
    expect(await scene.verdict(request)).toBe("same");
    write(scene.root, { [`${output}/index.js`]: "1" });
    expect(await scene.verdict(request), "generated again from the same schema").toBe("same");
    write(scene.root, { [`${output}/index.js`]: "2" });
    expect(await scene.verdict(request)).toBe("changed stale: dependencies");
    write(scene.root, { [`${output}/index.js`]: "1", [`${output}/schema.prisma`]: "model" });
    expect(await scene.verdict(request)).toBe("changed stale: dependencies");
  });
});
