/**
 * Projects as teams have them, started by PM2 itself. After each change that a fresh start would show, plan, drift and
 * status say the change or `unknown`, and "nothing to do" once it is true.
 */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect } from "vitest";
import {
  ecosystemDrift,
  execute,
  nodePorts,
  rolloutApply,
  rolloutPlan,
  statusShow,
  type Ports,
} from "../../src/core/index.ts";
import { plainEnvironment } from "../support/command-line.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { longTest } from "../support/runs.ts";

const run = promisify(execFile);
const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const TIME = { timeout: 240_000 };
const caller = { source: "cli", grants: ["read", "write", "logs"] } as const;
const { own } = runningPm2();

const at = (path: string): string => join(own.folder, path);
function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}
/** As a user of PM2 in that folder. */
function pm2(folder: string, ...args: string[]): Promise<unknown> {
  const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home, PWD: at(folder) };
  return run(process.execPath, [PM2, ...args], { cwd: at(folder), env });
}
/** As an editor writes it: another file takes the name. */
function replace(path: string, text: string): void {
  write(`${path}.new`, text);
  renameSync(at(`${path}.new`), at(path));
}
function link(target: string, path: string): void {
  rmSync(at(`${path}.new`), { force: true });
  symlinkSync(target, at(`${path}.new`));
  renameSync(at(`${path}.new`), at(path));
}
function project(root: string, apps: readonly object[], more = ""): void {
  write(`${root}/ecosystem.config.js`, `module.exports = ${JSON.stringify({ apps })};`);
  write(
    `${root}/svcm.yaml`,
    `version: 1\nenvironments: { production: [] }\necosystem: { production: ecosystem.config.js }\nrollout: { minHealthyTime: 100ms }\n${more}`,
  );
}
function portsOf(root: string, env: Record<string, string> = {}): Ports {
  const base = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home };
  return nodePorts({ root: at(root), cwd: at(root), env: { ...base, ...env } });
}

/** Plan, drift and status agree. Returns one line for each step, and for each doubt. */
async function told(ports: Ports): Promise<string[]> {
  const { steps, unknown, issues } = await execute(rolloutPlan, ports, {}, caller);
  const errors = issues.filter(({ severity }) => severity === "error");
  expect(errors).toEqual([]);
  const differing = [...new Set(steps.filter(({ do: kind }) => kind !== "save").map(({ app }) => app))];
  const drift = await execute(ecosystemDrift, ports, {}, caller);
  const expected = new Set(differing);
  expect([...new Set(drift.drift.filter(({ state }) => state !== "unexpected").map(({ name }) => name))]).toEqual([
    ...expected,
  ]);
  expect(drift.unknown).toEqual(unknown);
  const { points } = await execute(statusShow, ports, {}, caller);
  expect(points.some(({ kind }) => kind === "unknown")).toBe(unknown.length > 0);
  return [
    ...steps.flatMap(({ app, why }) => why.map(({ field, key, details }) => `${app} ${field} ${key ?? details ?? ""}`)),
    ...unknown.map(({ app, part, reason }) => `${app} ${part}? ${reason}`),
  ].map((line) => line.trim().replaceAll(`${own.folder}/`, ""));
}
const one = (text: string) => [expect.stringContaining(text) as string];

afterEach(async () => void (await pm2(".", "delete", "all")));

longTest("env files that no environment names, beside the script, in a folder and above the app", TIME, async () => {
  project("mono", [{ name: "api", cwd: "packages/api", script: "src/server.js" }]);
  write("mono/packages/api/src/server.js", IDLE);
  const files = [".env", "packages/api/.env", "packages/api/.env.production", "packages/api/src/.env"];
  const inFolder = ["packages/api/config/.env", "packages/api/config/.env.production"];
  for (const file of [...files, ...inFolder]) write(`mono/${file}`, "A=1\n");
  write("mono/packages/api/.env.development", "A=1\n");
  const ports = portsOf("mono");
  await pm2("mono", "start", "ecosystem.config.js");
  expect(await told(ports)).toEqual([]);
  for (const file of [...files, ...inFolder]) {
    write(`mono/${file}`, "A=1\nB=2\n");
    expect(await told(ports), file).toEqual(one(file.replace("packages/api/", "")));
    await pm2("mono", "restart", "api");
    expect(await told(ports), file).toEqual([]);
    replace(`mono/${file}`, "A=3\n");
    expect(await told(ports), file).toHaveLength(1);
    await pm2("mono", "restart", "api");
    expect(await told(ports), file).toEqual([]);
  }
  write("mono/packages/api/.env.development", "A=2\n");
  expect(await told(ports)).toEqual([]);
});

longTest("a .env that leads out of the release, as Capistrano links it", TIME, async () => {
  project("site/releases/1", [{ name: "site", script: "./server.js" }]);
  write("site/releases/1/server.js", IDLE);
  write("site/shared/.env", "A=1\n");
  link("../../shared/.env", "site/releases/1/.env");
  link("releases/1", "site/current");
  await pm2("site/current", "start", "ecosystem.config.js");
  for (const root of ["site/current", "site/releases/1"]) {
    const ports = portsOf(root);
    expect(await told(ports), root).toEqual([]);
    write("site/shared/.env", "A=2\n");
    expect(await told(ports), root).toEqual(one(".env was changed or touched after the start"));
    await execute(rolloutApply, ports, { restart: true }, caller);
    expect(await told(ports), root).toEqual([]);
  }
});

longTest("npm from another release folder, which shares the releases of the first", TIME, async () => {
  for (const id of [1, 2]) {
    project(`shop/releases/${id}`, [{ name: "shop", script: "npm", args: "start" }]);
    write(`shop/releases/${id}/package.json`, '{"name":"shop","scripts":{"start":"node server.js"}}');
    write(`shop/releases/${id}/server.js`, IDLE);
  }
  await pm2("shop/releases/1", "start", "ecosystem.config.js");
  expect(await told(portsOf("shop/releases/1"))).toEqual([]);
  const ports = portsOf("shop/releases/2");
  expect(await told(ports)).toEqual(one("it runs in shop/releases/1, and its file is in shop/releases/2"));
  await execute(rolloutApply, ports, { restart: true }, caller);
  expect(await told(ports)).toEqual([]);
  expect(await told(portsOf("shop/releases/1"))).toEqual(one("it runs in shop/releases/2"));
  // Both folders have the same releases.
  const [first, second] = await Promise.all(
    [1, 2].map(async (id) => (await portsOf(`shop/releases/${id}`).releases.list()).length),
  );
  expect([first, second]).toEqual([1, 1]);
});

longTest("an interpreter that is a shim, with an own PATH", TIME, async () => {
  write("shim/bin/node-shim", `#!/bin/sh\nPATH="/shim:$PATH" PWD=/shim exec "${process.execPath}" "$@"\n`);
  chmodSync(at("shim/bin/node-shim"), 0o755);
  const env = { PATH: `/declared:${process.env["PATH"]}` };
  project("shim", [
    { name: "plain", script: "./server.js", interpreter: at("shim/bin/node-shim") },
    { name: "declared", script: "./server.js", interpreter: at("shim/bin/node-shim"), env },
  ]);
  write("shim/server.js", IDLE);
  await pm2("shim", "start", "ecosystem.config.js");
  await pm2("shim", "save");
  const ports = portsOf("shim");
  expect(await told(ports)).toEqual([]);
  expect((await execute(rolloutPlan, ports, {}, caller)).issues).toEqual([]);
});

longTest("a renamed module is in the commit of the start, so a rollback can restore it", TIME, async () => {
  project("renamed", [{ name: "renamed", script: "./server.js" }]);
  write("renamed/server.js", `require("./one.js");\n${IDLE}`);
  write("renamed/one.js", "");
  const git = (...args: string[]) =>
    run("git", args, { cwd: at("renamed"), env: plainEnvironment({ ...GIT_ENVIRONMENT, HOME: own.folder }) });
  const commit = async (): Promise<void> => {
    await git("add", "server.js", "one.js", "two.js", ".gitignore");
    await git("commit", "--quiet", "--message", "change");
  };
  write("renamed/.gitignore", ".svcm\n");
  write("renamed/two.js", "");
  await git("init", "--quiet", "--initial-branch=main");
  await commit();
  await pm2("renamed", "start", "ecosystem.config.js");
  const ports = portsOf("renamed");
  expect(await told(ports)).toEqual([]);
  await git("mv", "one.js", "three.js");
  write("renamed/server.js", `require("./three.js");\n${IDLE}`);
  const { steps } = await execute(rolloutPlan, ports, {}, caller);
  expect(steps[0]).toMatchObject({ app: "renamed", why: [{ details: "3 files: one.js, server.js, three.js" }] });
  expect(steps[0]?.notes).not.toContain("CODE_NOT_RESTORABLE");
});

longTest("a name that --env extends, and the variables of deploy", TIME, async () => {
  const env = { MODE: "app", LEVEL: "app" };
  const app = { name: "shop", script: "./server.js", append_env_to_name: true, env, env_live: { LEVEL: "block" } };
  project("named", []);
  const layout =
    "version: 1\nenvironments: { production: [] }\necosystem: { production: { file: ecosystem.config.js, env: live } }\n";
  write("named/svcm.yaml", `${layout}rollout: { minHealthyTime: 100ms }\n`);
  const declare = (MODE: string): void => {
    const deploy = { live: { user: "deploy", env: { MODE, LEVEL: "deploy", ONLY: "deploy" } } };
    write("named/ecosystem.config.js", `module.exports = ${JSON.stringify({ apps: [app], deploy })};`);
  };
  declare("one");
  write("named/server.js", IDLE);
  const ports = portsOf("named");
  await pm2("named", "start", "ecosystem.config.js", "--env", "live");
  expect(await told(ports)).toEqual([]);
  declare("two");
  expect(await told(ports)).toEqual(["shop-live env MODE"]);
  await execute(rolloutApply, ports, {}, caller);
  expect(await told(ports)).toEqual([]);
  await pm2("named", "reload", "ecosystem.config.js", "--env", "live");
  expect(await told(ports)).toEqual([]);
});

longTest("folders of variables win over svcm.yaml, and only their files count", TIME, async () => {
  project("two", [{ name: "two", script: "./server.js", env: { MODE: "own" } }], "env: { production: .env }\n");
  write("two/server.js", IDLE);
  write("two/.env", "A=1\n");
  write("etc/.env", "A=1\n");
  write(
    "etc/ecosystem.config.js",
    `module.exports = ${JSON.stringify({ apps: [{ name: "two", script: at("two/server.js"), cwd: at("two"), env: { MODE: "etc" } }] })};`,
  );
  const ports = portsOf("two", {
    SVC_SERVICE_MANAGEMENT_CONFIG_DIR: at("etc"),
    SVC_SERVICE_MANAGEMENT_PM2_DIR: at("etc"),
  });
  await pm2("etc", "start", "ecosystem.config.js");
  expect(await told(ports)).toEqual([]);
  expect(await told(portsOf("two"))).toEqual(expect.arrayContaining(one("two env MODE")));
  write("etc/.env", "A=2\n");
  expect(await told(ports)).toEqual(["two values A"]);
  await pm2("two", "restart", "two");
  expect(await told(ports)).toEqual([]);
  // The app may still read the file of its folder.
  write("two/.env", "A=5\n");
  expect(await told(ports)).toEqual(one(".env was changed or touched after the start"));
});
