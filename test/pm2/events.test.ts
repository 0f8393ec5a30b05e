/** Ends of processes under a real PM2, and what svcm says of them. */
import { execFile } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsList, eventWhy, execute, processAct, type Caller, type Ports } from "../../src/core/index.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { svcm } from "../support/svcm.ts";

const CLI = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const CANARY = "canary-Zk4-8fd03b27aa";
const run = promisify(execFile);
const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write"] };

let own: Pm2;
let ports: Ports;

beforeAll(async () => {
  own = pm2();
  await own.startDaemon({ PM2_WORKER_INTERVAL: "200" });
  ports = own.ports();
});
afterAll(() => own.end());

const pm2Command = (...args: string[]) =>
  run(process.execPath, [CLI, ...args], {
    env: { PATH: process.env["PATH"] ?? "", HOME: own.folder, PM2_HOME: own.home, PM2_DISABLE_VERSION_CHECK: "1" },
  });
const why = (name: string) => execute(eventWhy, ports, { name }, caller);
const recordOf = async (name: string) => (await ports.processes.list()).find((record) => record.name === name)!;

async function restarted(name: string): Promise<void> {
  while ((await recordOf(name)).restartCount === 0);
}

test("an end with an exit code is a crash, and its error log is shown without secrets", async () => {
  const code = `console.error("cannot reach db, password=" + process.env.DB_PASSWORD, process.argv[2]); process.exit(3);`;
  const secrets = { env: { DB_PASSWORD: CANARY }, args: [`--token=${CANARY}`] };
  await own.run({ name: "crash", autorestart: false, code, ...secrets });
  while ((await recordOf("crash")).status !== "stopped");
  const answer = await why("crash");
  expect(answer.event).toMatchObject({ app: "crash", kind: "exit", cause: "crash", certainty: "certain", exitCode: 3 });
  expect(answer.errorLines.join()).toContain("cannot reach db");
  const listed = await execute(eventsList, ports, { app: "crash" }, caller);
  expect(JSON.stringify([answer, listed])).not.toContain(CANARY);
  for (const args of [["why", "crash"], ["why", "crash", "--json"], ["events"], ["events", "--json"]]) {
    const { stdout, stderr } = await svcm(args, { root: own.folder, env: { PM2_HOME: own.home } });
    expect(stdout).toContain("crash");
    expect(stdout + stderr).not.toContain(CANARY);
  }
});

test("a crash loop has one event for each end, and the last one says that PM2 gave up", async () => {
  await own.run({ name: "loop", max_restarts: 3, code: "process.exit(2);" });
  while ((await recordOf("loop")).status !== "errored");
  const { event, recentEnds } = await why("loop");
  expect(event).toMatchObject({ kind: "exit", cause: "crash", certainty: "certain", exitCode: 2 });
  expect(event?.evidence).toContain("PM2 gave up after 3 unstable restarts.");
  expect(recentEnds).toBeGreaterThanOrEqual(3);
  const { events } = await execute(eventsList, ports, { app: "loop", cause: "crash" }, caller);
  expect(events).toHaveLength(recentEnds);
});

test("a restart by the memory limit is certain, with both figures", async () => {
  await own.run({ name: "memory", max_memory_restart: "1M" });
  await restarted("memory");
  const { event } = await why("memory");
  expect(event).toMatchObject({ kind: "restart", cause: "memory-limit", certainty: "certain" });
  expect(event?.evidence[0]).toMatch(/^PM2 restarted it because it used \d+\.\d MB of at most 1\.0 MB\.$/);
});

test("a stop by PM2's command is probable, because PM2 does not name who ordered it", async () => {
  await own.run({ name: "stopped" });
  await pm2Command("stop", "stopped");
  expect((await why("stopped")).event).toMatchObject({ kind: "stop", cause: "pm2-cli", certainty: "likely" });
});

test("a restart by svcm that ends in a later second than it began is certain, with its actor", async () => {
  // A full second lies between the order and the end.
  const code =
    "process.on('SIGINT', () => setTimeout(() => process.exit(0), 1100)); process.send('ready'); setInterval(() => {}, 1e6);";
  await own.run({ name: "slow", code, kill_timeout: 10_000, wait_ready: true, listen_timeout: 20_000 });
  await execute(processAct, ports, { action: "restart", name: "slow" }, caller);
  expect((await why("slow")).event).toMatchObject({
    kind: "restart",
    cause: "svcm",
    certainty: "certain",
    actor: "tester (cli)",
  });
});

test("SIGKILL from outside is a signal without a sender, and no exit code", async () => {
  await own.run({ name: "killed" });
  process.kill((await recordOf("killed")).pid!, "SIGKILL");
  await restarted("killed");
  const { event } = await why("killed");
  expect(event).toMatchObject({ kind: "exit", cause: "signal", certainty: "certain", signal: "SIGKILL" });
  expect(event).not.toHaveProperty("exitCode");
});

test("a reload of a cluster by PM2's command is one restart", async () => {
  await own.run({ name: "cluster", exec_mode: "cluster", instances: 1 });
  await pm2Command("reload", "cluster");
  const { events } = await execute(eventsList, ports, { app: "cluster" }, caller);
  const [last, first] = events.filter(({ app }) => app === "cluster");
  expect(last).toMatchObject({ kind: "restart", cause: "pm2-cli", certainty: "likely" });
  expect(first).toMatchObject({ kind: "start" });
});

test("a name that neither PM2 nor its log knows is refused", async () => {
  await expect(why("nothing")).rejects.toMatchObject({ kind: "PROCESS_NOT_FOUND" });
});

test("an error log that is a link is not read", async () => {
  await own.run({ name: "linked", autorestart: false, code: "process.exit(4);" });
  while ((await recordOf("linked")).status !== "stopped");
  const { pmId } = await recordOf("linked");
  for (const file of [`linked-error-${pmId}.log`, "linked-error.log"]) {
    rmSync(join(own.home, "logs", file), { force: true });
    symlinkSync("/etc/hostname", join(own.home, "logs", file));
  }
  expect((await why("linked")).errorLines).toEqual([]);
});
