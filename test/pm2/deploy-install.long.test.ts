/** Installs with the package managers of the machine, the check of the release, and a full disk. */
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deployPlan, execute, SvcmError } from "../../src/core/index.ts";
import { canMount, mount } from "../support/machine.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2({ npm: "of the machine" });
const prepare = () => execute(deployPlan, shop.ports, { environment: "production" }, caller);
const at = (name: string): string => join(shop.checkout, name);

async function refusedText(): Promise<string> {
  const error = await prepare().catch((thrown: unknown) => thrown);
  if (error instanceof SvcmError) return `${error.body.code}: ${error.body.details}`;
  throw new Error("it was prepared");
}

/** Packages of this machine, so that nothing is downloaded. */
function manifest(more: object = {}, deepVersion = "file:../deep"): string {
  mkdirSync(at("local/tool"), { recursive: true });
  for (const name of ["needed", "deep"]) mkdirSync(at(`local/${name}`), { recursive: true });
  writeFileSync(at("local/tool/package.json"), '{"name":"tool","version":"1.0.0","bin":"tool.js"}');
  writeFileSync(at("local/tool/tool.js"), '#!/usr/bin/env node\nrequire("fs").cpSync("VERSION","dist/version.txt")', {
    mode: 0o755,
  });
  const needed = { name: "needed", version: "1.0.0", dependencies: { deep: deepVersion } };
  writeFileSync(at("local/needed/package.json"), JSON.stringify(needed));
  writeFileSync(at("local/deep/package.json"), '{"name":"deep","version":"1.0.0"}');
  const dependencies = { needed: "file:local/needed", ...more };
  return JSON.stringify({
    name: "shop",
    // As with husky: it needs a program that only the build needs.
    scripts: { build: "tool", prepare: "tool" },
    dependencies,
    devDependencies: { tool: "file:local/tool" },
  });
}

/** As `npm install` writes it. */
const LOCKFILE = {
  name: "shop",
  lockfileVersion: 3,
  requires: true,
  packages: {
    "": { name: "shop", dependencies: { needed: "file:local/needed" }, devDependencies: { tool: "file:local/tool" } },
    "local/deep": { version: "1.0.0" },
    "local/needed": { version: "1.0.0", dependencies: { deep: "file:../deep" } },
    "local/tool": { version: "1.0.0", dev: true, bin: { tool: "tool.js" } },
    "node_modules/deep": { resolved: "local/deep", link: true },
    "node_modules/needed": { resolved: "local/needed", link: true },
    "node_modules/tool": { resolved: "local/tool", link: true },
  },
};

/** Of what the app needs, also in a folder of the workspace, and of what only the build needs. */
const present = (folder: string): boolean[] =>
  ["node_modules/needed", "local/needed/node_modules/deep", "node_modules/tool"].map((name) =>
    existsSync(join(folder, name)),
  );
const lacks = (program: string): boolean => spawnSync(program, ["--version"]).status !== 0;

test.skipIf(lacks("pnpm"))(
  "pnpm installs a workspace from its lockfile, builds, and leaves out what only the build needs (needs pnpm)",
  async () => {
    shop.publish({ "package.json": manifest({}, "workspace:*"), "pnpm-workspace.yaml": "packages: [local/*]\n" });
    execFileSync("pnpm", ["install", "--lockfile-only"], { cwd: shop.checkout, stdio: "ignore" });
    shop.publish({ VERSION: "2" });
    const { folder } = await prepare();
    expect(readFileSync(join(folder, "dist/version.txt"), "utf8")).toBe("2");
    expect(present(folder)).toEqual([true, true, false]);
    shop.publish({ "package.json": manifest({ other: "file:local/needed" }, "workspace:*") });
    expect(await refusedText()).toMatch(
      /^DEPLOY_COMMAND_FAILED: The install \(pnpm install --frozen-lockfile\) ended with exit code 1\. The lockfile does not match package\.json/,
    );
    for (const name of ["pnpm-lock.yaml", "pnpm-workspace.yaml"]) rmSync(at(name));
  },
);

test.skipIf(lacks("yarn"))("yarn installs from its lockfile, and builds (needs yarn)", async () => {
  shop.publish({ "package.json": manifest() });
  execFileSync("yarn", ["install", "--ignore-scripts"], { cwd: shop.checkout, stdio: "ignore" });
  rmSync(at("node_modules"), { recursive: true });
  shop.publish({ VERSION: "2 of yarn" });
  const { folder } = await prepare();
  expect(readFileSync(join(folder, "dist/version.txt"), "utf8")).toBe("2 of yarn");
  expect(present(folder)[0]).toBe(true);
  shop.publish({ "package.json": manifest({ other: "file:local/needed" }) });
  expect(await refusedText()).toMatch(
    /^DEPLOY_COMMAND_FAILED: The install \(yarn install --frozen-lockfile\) ended with exit code 1\. The lockfile does not match package\.json/,
  );
  rmSync(at("yarn.lock"));
});

const publishLocked = (): string =>
  shop.publish({ "package.json": manifest(), "package-lock.json": JSON.stringify(LOCKFILE), VERSION: "3" });

test("npm installs from its lockfile, and leaves out what only the build needs", async () => {
  publishLocked();
  const { folder } = await prepare();
  expect(readFileSync(join(folder, "dist/version.txt"), "utf8")).toBe("3");
  expect(["needed", "tool"].map((name) => existsSync(join(folder, "node_modules", name)))).toEqual([true, false]);
});

test("npm refuses a lockfile that does not match", async () => {
  publishLocked();
  shop.publish({ "package.json": manifest({ other: "file:local/needed" }) });
  expect(await refusedText()).toMatch(
    /^DEPLOY_COMMAND_FAILED: The install \(npm ci .*\) ended with exit code 1\. The lockfile does not match package\.json/,
  );
});

test("the release's own check ends a deploy before anything that runs is touched", async () => {
  const project = readFileSync(at("svcm.yaml"), "utf8").replace(
    "keep: 2",
    'keep: 2, check: "node check.cjs", env: [PORT]',
  );
  const check = 'console.log(require("fs").existsSync("node_modules/tool"), process.env.PORT > 0); process.exit(4);';
  shop.publish({ "package.json": manifest(), "check.cjs": check, "svcm.yaml": project });
  const text = await refusedText();
  expect(text).toMatch(
    /^DEPLOY_COMMAND_FAILED: The check \(node check\.cjs\) ended with exit code 4\.\n  false true\nNothing that runs was touched\.$/,
  );
  expect([shop.current(), (await shop.ports.processes.list()).length]).toEqual([null, 0]);
  shop.publish({ "check.cjs": "" });
  await prepare();
});

test.skipIf(!canMount)(
  "too little space is refused before a folder is made, and a disk that fills up is named",
  async () => {
    const disk = join(shop.own.folder, "disk");
    mount(disk, "-t", "tmpfs", "-o", "size=8m", "tmpfs");
    const project = readFileSync(at("svcm.yaml"), "utf8")
      .replace(/keep: 2(?:, check: [^}]*)?/, 'keep: 2, check: "node check.cjs"')
      .replace("deploy: {", `deploy: { root: ${JSON.stringify(join(disk, "deploy"))},`);
    const filling = 'require("fs").writeFileSync("big", Buffer.alloc(16 * 2 ** 20));';
    rmSync(at("package-lock.json"), { force: true });
    shop.publish({ "package.json": '{ "name": "shop" }', "svcm.yaml": project, "check.cjs": filling });
    expect(await refusedText()).toMatch(
      /^DEPLOY_COMMAND_FAILED: The check .* ended with exit code 1\. The disk is full \(ENOSPC\)\./,
    );
    const overQuota = `console.error("cp: error writing 'dist': Disk quota exceeded"); process.exit(1);`;
    shop.publish({ "check.cjs": overQuota });
    expect(await refusedText()).toMatch(
      /^DEPLOY_COMMAND_FAILED: The check .* ended with exit code 1\. The disk quota of its user is used up \(EDQUOT\)\./,
    );
    writeFileSync(at("large"), Buffer.alloc(12 * 2 ** 20));
    expect(await refusedText()).toMatch(
      /^DEPLOY_NO_SPACE: A release as large as the checkout needs \d+ MiB, and 8 MiB are free/,
    );
  },
);

/** A root on a separate disk. */
function declareRoot(disk: string): void {
  const project = readFileSync(at("svcm.yaml"), "utf8").replace(/root: "[^"]*", */, "");
  const root = `root: ${JSON.stringify(join(disk, "deploy"))},`;
  shop.publish({ "svcm.yaml": project.replace("deploy: {", `deploy: { ${root}`), "check.cjs": "" });
}

test.skipIf(!canMount)("a disk without room for as many files is refused before a folder is made", async () => {
  const disk = join(shop.own.folder, "few");
  mount(disk, "-t", "tmpfs", "-o", "size=64m,nr_inodes=300", "tmpfs");
  rmSync(at("large"), { force: true });
  declareRoot(disk);
  mkdirSync(at("uploads/many"), { recursive: true });
  for (let index = 0; index < 400; index += 1) writeFileSync(at(`uploads/many/${index}`), "");
  expect(await refusedText()).toMatch(
    /^DEPLOY_NO_SPACE: A release as large as the checkout needs \d+ more files, and \d+ are free/,
  );
  expect(readdirSync(join(disk, "deploy/releases"))).toEqual([]);
});

test.skipIf(!canMount)("a disk that fills up while the commit is fetched is named, and no folder stays", async () => {
  const disk = join(shop.own.folder, "full");
  mount(disk, "-t", "tmpfs", "-o", "size=8m", "tmpfs");
  declareRoot(disk);
  rmSync(at("uploads/many"), { recursive: true, force: true });
  const { id } = await prepare();
  writeFileSync(at("image.bin"), randomBytes(12 * 2 ** 20));
  shop.publish({});
  expect(await refusedText()).toMatch(/^DEPLOY_NO_SPACE: Git has no space left/);
  expect(readdirSync(join(disk, "deploy/releases"))).toEqual([id]);
});
