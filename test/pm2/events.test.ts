import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventsList, eventWhy, execute, processAct, type Caller } from "../../src/core/index.ts";
import { endsWith, pm2 } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm } from "../support/svcm.ts";
import { play, pm2Command, scenes } from "./event-scenes.ts";
import { longTest, sampleOrAll } from "../support/runs.ts";

const CLI = createRequire(import.meta.url).resolve("pm2/bin/pm2");
const CANARY = "canary-Zk4-8fd03b27aa";
const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write", "logs"] };

const { own, ports } = runningPm2({ PM2_WORKER_INTERVAL: "200" });

const command = (...args: string[]) => pm2Command(own, CLI)(...args);
const why = (name: string) => execute(eventWhy, ports, { name }, caller);
const recordOf = async (name: string) => (await ports.processes.list()).find((record) => record.name === name)!;

/** An end by itself, and one by PM2's command. */
const SAMPLE = scenes.filter(({ app }) => app.name === "coded" || app.name === "signalled");

test.each(sampleOrAll(scenes, SAMPLE))("$title", async (scene) => {
  await play(scene, { own, command });
  const { event } = await why(String(scene.app.name));
  expect(event).toMatchObject(scene.expected);
  expect(event?.evidence.join(" ")).toContain(scene.says ?? "");
  if (event?.signal !== undefined) expect(event).not.toHaveProperty("exitCode");
});

test("the error of a worker that ends before PM2 gives it a log is shown without secrets", async () => {
  const pre = join(own.folder, "pre.cjs");
  writeFileSync(pre, `throw new Error("no tracing at ${CANARY}");`);
  const worker = { exec_mode: "cluster", instances: 1, autorestart: false, node_args: `--require ${pre}` };
  await own.run({ name: "early", code: "setInterval(() => {}, 1e6);", ...worker, env: { TRACING_TOKEN: CANARY } });
  await expect.poll(async () => (await recordOf("early")).status).toBe("stopped");
  const { event, reason, now } = await why("early");
  expect([event?.exitCode, reason]).toEqual([1, null]);
  expect(now).toContain("It wrote right before, to pm2.log: Error: no tracing at [REDACTED]");
  const unread = await execute(eventWhy, ports, { name: "early" }, { ...caller, grants: ["read"] });
  expect(unread.now.join("\n")).not.toContain("tracing");
});

longTest("an end with an exit code is a crash, and its error log is shown without secrets", async () => {
  const code = endsWith('"cannot reach db, password=" + process.env.DB_PASSWORD, process.argv[2]', 3);
  const secrets = { env: { DB_PASSWORD: CANARY }, args: [`--token=${CANARY}`] };
  await own.run({ name: "crash", autorestart: false, code, ...secrets });
  await expect.poll(async () => (await recordOf("crash")).status).toBe("stopped");
  const answer = await why("crash");
  expect(answer.event).toMatchObject({ app: "crash", kind: "exit", cause: "crash", certainty: "likely", exitCode: 3 });
  expect(answer.reason).toContain("cannot reach db");
  const listed = await execute(eventsList, ports, { app: "crash" }, caller);
  expect(JSON.stringify([answer, listed])).not.toContain(CANARY);
  for (const args of [["why", "crash"], ["why", "crash", "--json"], ["events"], ["events", "--json"]]) {
    const { stdout, stderr } = await svcm(args, { root: own.folder, env: { PM2_HOME: own.home } });
    expect(stdout).toContain("crash");
    expect(stdout + stderr).not.toContain(CANARY);
  }
});

longTest("a crash loop has one event for each end", async () => {
  await own.run({ name: "again", max_restarts: 3, min_uptime: 600_000, code: "process.exit(2);" });
  await expect.poll(async () => (await recordOf("again")).status).toBe("errored");
  const { recentEnds } = await why("again");
  expect(recentEnds).toBeGreaterThanOrEqual(3);
  const { events } = await execute(eventsList, ports, { app: "again", cause: "crash" }, caller);
  expect(events).toHaveLength(recentEnds);
});

longTest(
  "a restart by svcm that ends in a later second than it began has a certain cause, with its actor",
  async () => {
    // A full second passes between the order and the end.
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
  },
);

longTest("a reload of a cluster by PM2's command is one restart", async () => {
  await own.run({ name: "cluster", exec_mode: "cluster", instances: 1 });
  await command("reload", "cluster");
  const { events } = await execute(eventsList, ports, { app: "cluster" }, caller);
  const [last, first] = events.filter(({ app }) => app === "cluster");
  expect(last).toMatchObject({ kind: "restart", cause: "pm2-cli", certainty: "likely" });
  expect(first).toMatchObject({ kind: "start" });
});

longTest("a name that neither PM2 nor its log contains is refused", async () => {
  await expect(why("nothing")).rejects.toMatchObject({ kind: "PROCESS_NOT_FOUND" });
  await own.run({ name: "silent" });
  const ask = (...args: string[]) => svcm(["events", ...args], { root: own.folder, env: { PM2_HOME: own.home } });
  const wrong = await ask("silemt");
  expect(wrong.code).toBe(3);
  expect(wrong.stderr).toMatch(/^Error: No process in PM2 or its log is named "silemt"\. Did you mean "silent"\?/);
  expect(await ask("silent", "--cause", "cron", "--kind", "exit")).toMatchObject({
    code: 0,
    stdout: "No event of silent of the kind exit with the cause cron since 24h.\n",
  });
});

longTest("an error log that is a link is not read", async () => {
  await own.run({ name: "linked", autorestart: false, code: "process.exit(4);" });
  await expect.poll(async () => (await recordOf("linked")).status).toBe("stopped");
  const { pmId } = await recordOf("linked");
  for (const file of [`linked-error-${pmId}.log`, "linked-error.log"]) {
    rmSync(join(own.home, "logs", file), { force: true });
    symlinkSync("/etc/hostname", join(own.home, "logs", file));
  }
  expect((await why("linked")).errorLines).toEqual([]);
});

longTest("the end of a process is dated rightly if the daemon has another time zone", async () => {
  const other = pm2();
  onTestFinished(() => other.end());
  await other.startDaemon({ TZ: "Pacific/Auckland" });
  const before = Date.now() - 1000;
  await other.run({ name: "far", autorestart: false, code: "process.exit(3);" });
  const ended = async () => (await execute(eventWhy, other.ports(), { name: "far" }, caller)).event?.at;
  await expect.poll(ended).toBeDefined();
  const atMs = Date.parse((await ended()) ?? "");
  expect([atMs >= before, atMs <= Date.now()]).toEqual([true, true]);
});
