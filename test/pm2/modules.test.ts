/** Modules of PM2, such as pm2-logrotate, belong to PM2: svcm neither shows nor changes them. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import {
  bootRestore,
  bootSave,
  daemonRenew,
  ecosystemDrift,
  execute,
  metricsShow,
  processAct,
  processList,
} from "../../src/core/index.ts";
import { IDLE, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { listRawProcesses } from "../support/raw-list.ts";
import { longTest } from "../support/runs.ts";

const PM2 = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const caller = { source: "cli", grants: ["read", "write", "act", "admin"] } as const;
let own: Pm2;

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  const folder = join(own.folder, "a-module");
  mkdirSync(folder);
  writeFileSync(join(folder, "index.js"), IDLE);
  const manifest = { name: "a-module", version: "1.0.0", main: "index.js", apps: [{ script: "index.js" }] };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const env = { PATH: process.env["PATH"], HOME: own.folder, PM2_HOME: own.home };
  execFileSync(process.execPath, [PM2, "install", "."], { env, cwd: folder, stdio: "ignore" });
  await own.run({ name: "api" });
  own.pm2Folder([{ name: "api", script: "./idle.cjs" }]);
});
afterAll(() => own.end());

longTest("a module is not listed and causes no drift, and an action on its namespace leaves it running", async () => {
  const moduleOf = async () => (await listRawProcesses(own.home)).find(({ name }) => name === "a-module");
  const before = await moduleOf();
  expect(before?.pm2_env).toMatchObject({ pmx_module: true, status: "online", namespace: "default" });
  const ports = own.ports();
  const { processes } = await execute(processList, ports, {}, caller);
  expect(processes.map(({ name }) => name)).toEqual(["api"]);
  const output = await execute(metricsShow, ports, { environment: "dev" }, caller);
  expect(output.processes.map(({ name }) => name)).toEqual(["api"]);
  expect(output.ecosystem.unexpected).toEqual([]);
  const { drift } = await execute(ecosystemDrift, ports, { environment: "dev" }, caller);
  expect(drift.filter(({ name }) => name === "a-module")).toEqual([]);
  const act = (target: object) => execute(processAct, ports, { action: "stop", ...target }, caller);
  await expect(act({ name: "a-module" })).rejects.toMatchObject({ body: { code: "PROCESS_NOT_FOUND" } });
  const { affected } = await act({ scope: "namespace", namespace: "default" });
  expect(affected.map(({ name }) => name)).toEqual(["api"]);
  expect((await moduleOf())?.pid).toBe(before?.pid);
});

longTest(
  "a module runs again after a renewal and after the death of the daemon, though no saved list has it",
  async () => {
    const ports = own.ports();
    const states = async () =>
      (await listRawProcesses(own.home)).map(({ name, pm2_env }) => `${name} ${String(pm2_env["status"])}`);
    await execute(daemonRenew, ports, { goBack: false, node: process.execPath }, caller);
    expect(await states()).toContain("a-module online");
    await execute(bootSave, ports, {}, caller);
    // As npm installs it: PM2 does not keep a module that it started from a folder.
    const installed = join(own.home, "modules/a-module/node_modules/a-module");
    cpSync(join(own.folder, "a-module"), installed, { recursive: true });
    writeFileSync(join(own.home, "module_conf.json"), JSON.stringify({ "module-db-v2": { "a-module": {} } }));
    const pid = Number(readFileSync(join(own.home, "pm2.pid"), "utf8"));
    process.kill(pid, "SIGKILL");
    await expect.poll(() => own.pids()).not.toContain(pid);
    await execute(bootRestore, ports, {}, caller);
    expect(await states()).toContain("a-module online");
  },
);
