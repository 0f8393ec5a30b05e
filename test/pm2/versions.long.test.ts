/** Daemons of older versions of PM2 accept declarations, applies and rollbacks in the same way as the present one. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ecosystemDrift,
  eventWhy,
  execute,
  processAct,
  processRun,
  processScale,
  rolloutApply,
  rolloutPlan,
  rolloutRollback,
  type Caller,
} from "../../src/core/index.ts";
import { IDLE, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { listRawProcesses } from "../support/raw-list.ts";
import { play, pm2Command, scenes } from "./event-scenes.ts";

const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write"] };
const installed = mkdtempSync(join(tmpdir(), "svcm-pm2-versions-"));
const opened: Pm2[] = [];

afterAll(async () => {
  for (const own of opened) await own.end();
  rmSync(installed, { recursive: true, force: true });
});

/** The daemon program of a version, from the registry. */
function daemonOf(version: string): string {
  const prefix = join(installed, version);
  const args = ["install", "--prefix", prefix, `pm2@${version}`, "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", args, { stdio: "ignore" });
  return join(prefix, "node_modules/pm2/lib/Daemon.js");
}

const VERSIONS = ["5.4.3", "6.0.14"];

/** Each run leaves a report outside of its folder, where it would be new code. */
const LISTENS = `
if (process.env.FAILS) process.exit(3);
require("node:http").createServer((_, response) => response.end()).listen(0);
require("node:fs").writeFileSync(process.env.PM2_HOME + "/" + process.env.name + "-" + process.env.pm_id + ".json",
  JSON.stringify({ env: process.env, argv: process.argv.slice(2) }));`;

test.each(VERSIONS)("a declaration takes effect on a daemon of PM2 %s", async (version) => {
  const own = pm2(daemonOf(version));
  opened.push(own);
  await own.startDaemon();
  const ports = own.ports();
  writeFileSync(join(own.folder, "listens.cjs"), LISTENS);
  const declare = (apps: readonly object[]): void =>
    own.pm2Folder(apps.map((app) => ({ script: "./listens.cjs", ...app })));
  const act = (action: "start" | "restart" | "reload") =>
    execute(processAct, ports, { action, scope: "ecosystem", environment: "dev" }, caller);
  const drift = async (): Promise<string[]> =>
    (await execute(ecosystemDrift, ports, { environment: "dev" }, caller)).drift.map(
      ({ name, field }) => `${name} ${field}`,
    );
  const summarise = (name: string, pmId: number) =>
    JSON.parse(readFileSync(join(own.home, `${name}-${pmId}.json`), "utf8")) as { argv: string[]; env: object };

  const rich = { kill_timeout: 3000, max_memory_restart: "300M", out_file: "./out.log", env: { A: "1", lower: "x" } };
  declare([
    { name: "fork", args: ["one"], ...rich },
    { name: "cluster", exec_mode: "cluster", instances: 2, args: ["one"], ...rich },
  ]);
  await act("start");
  expect(await drift()).toEqual([]);
  // No field of this version is read as a variable.
  for (const { declaration } of await ports.processes.list()) {
    const lower = Object.keys(declaration.environment).filter((key) => /^[a-z]/.test(key));
    expect(lower.filter((key) => !["fork", "cluster", "unique_id", "io"].includes(key))).toEqual(["lower"]);
  }

  declare([
    { name: "fork", env: { A: "2" } },
    { name: "cluster", exec_mode: "cluster", instances: 2, env: { A: "2" } },
  ]);
  const before = await ports.processes.list();
  expect((await act("reload")).warnings).toEqual([]);
  expect(await drift()).toEqual([]);
  const after = await ports.processes.list();
  expect(after.map(({ pmId }) => pmId)).toEqual(before.map(({ pmId }) => pmId));
  for (const { name, pmId } of after) {
    expect(summarise(name, pmId).argv).toEqual([]);
    expect(summarise(name, pmId).env).toMatchObject({ A: "2" });
    expect(summarise(name, pmId).env).not.toHaveProperty("lower");
  }
  for (const { pm2_env } of await listRawProcesses(own.home)) {
    expect(pm2_env).not.toHaveProperty("kill_timeout");
    expect(pm2_env).not.toHaveProperty("max_memory_restart");
  }

  await execute(processScale, ports, { name: "cluster", instances: 3 }, caller);
  await execute(processAct, ports, { action: "delete", name: "cluster" }, caller);
  expect((await ports.processes.list()).map(({ name }) => name)).toEqual(["fork"]);
});

test.each(VERSIONS)("a job is registered, changed and run once on a daemon of PM2 %s", async (version) => {
  const own = pm2(daemonOf(version));
  opened.push(own);
  await own.startDaemon();
  const ports = own.ports();
  const runs = join(own.folder, "runs");
  const job = `require("node:fs").appendFileSync(${JSON.stringify(runs)}, process.env.K); setTimeout(() => process.exit(process.env.K - 1), 100);`;
  writeFileSync(join(own.folder, "job.cjs"), job);
  writeFileSync(runs, "");
  const declare = (mode: string, value: string): void =>
    own.pm2Folder([
      { name: "web", script: "./web.cjs", env: { V: value } },
      {
        name: "job",
        script: "./job.cjs",
        exec_mode: mode,
        autorestart: false,
        cron_restart: "0 3 1 1 *",
        env: { K: value },
      },
    ]);
  writeFileSync(join(own.folder, "web.cjs"), IDLE);
  const apply = () => execute(rolloutApply, ports, { environment: "dev", minHealthyMs: 300, allowDirty: true }, caller);
  for (const [mode, value] of [
    ["fork", "1"],
    ["fork", "2"],
    ["cluster", "2"],
    ["cluster", "1"],
  ] as const) {
    declare(mode, value);
    expect((await apply()).release?.outcome).toBe("applied");
    expect((await apply()).release).toBeNull();
  }
  expect(readFileSync(runs, "utf8")).toBe("");
  expect(await execute(processRun, ports, { name: "job" }, caller)).toMatchObject({ outcome: "unknown" });
  declare("fork", "2");
  await apply();
  expect(await execute(processRun, ports, { name: "job" }, caller)).toMatchObject({ outcome: "failed", exitCode: 1 });
  await execute(processAct, ports, { action: "restart", scope: "ecosystem", environment: "dev" }, caller);
  expect((await apply()).release).toBeNull();
  expect(readFileSync(runs, "utf8")).toBe("12");
});

test.each(VERSIONS)("an apply, its revert and a rollback on a daemon of PM2 %s", async (version) => {
  const own = pm2(daemonOf(version));
  opened.push(own);
  await own.startDaemon();
  const ports = own.ports();
  writeFileSync(join(own.folder, "listens.cjs"), LISTENS);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 200ms }");
  const declare = (fork: object, cluster: object): void =>
    own.pm2Folder([
      { name: "fork", script: "./listens.cjs", env: fork },
      { name: "cluster", script: "./listens.cjs", exec_mode: "cluster", instances: 2, env: cluster },
    ]);
  const apply = () => execute(rolloutApply, ports, { environment: "dev" }, caller);
  const stepsLeft = async (): Promise<number> =>
    (await execute(rolloutPlan, ports, { environment: "dev" }, caller)).steps.length;
  /** The numbers of the processes, and the arguments and environment that each process recorded. */
  const observed = async () =>
    (await ports.processes.list()).map(({ name, pmId, status }) => {
      const { env } = JSON.parse(readFileSync(join(own.home, `${name}-${pmId}.json`), "utf8")) as {
        env: { A: string };
      };
      return [pmId, name, status, env.A];
    });

  declare({ A: "1" }, { A: "1" });
  expect((await apply()).release?.outcome).toBe("applied");
  const first = await observed();
  expect(first.map(([, ...rest]) => rest)).toEqual([
    ["fork", "online", "1"],
    ["cluster", "online", "1"],
    ["cluster", "online", "1"],
  ]);
  expect(await stepsLeft()).toBe(0);

  declare({ A: "2" }, { A: "2" });
  expect((await apply()).release?.outcome).toBe("applied");
  const second = await observed();
  expect(second).toEqual(first.map((each) => each.with(3, "2")));
  expect(await stepsLeft()).toBe(0);

  declare({ A: "3" }, { A: "3", FAILS: "1" });
  await expect(apply()).rejects.toMatchObject({ kind: "APPLY_REVERTED" });
  expect(await observed()).toEqual(second);

  expect((await execute(rolloutRollback, ports, {}, caller)).outcome).toBe("applied");
  expect(await observed()).toEqual(first);
  declare({ A: "1" }, { A: "1" });
  expect(await stepsLeft()).toBe(0);
});

describe.each(VERSIONS)("PM2 %s", (version) => {
  let own: Pm2;
  let program: string;
  beforeAll(async () => {
    const daemon = daemonOf(version);
    program = join(daemon, "../../bin/pm2");
    own = pm2(daemon);
    opened.push(own);
    await own.startDaemon({ PM2_WORKER_INTERVAL: "200" });
  });

  test.each(scenes)("$title", async (scene) => {
    await play(scene, { own, command: pm2Command(own, program) });
    const { event } = await execute(eventWhy, own.ports(), { name: String(scene.app.name) }, caller);
    expect(event).toMatchObject(scene.expected);
    expect(event?.evidence.join(" ")).toContain(scene.says ?? "");
  });
});
