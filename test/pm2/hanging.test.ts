/** A real daemon that hangs: the cost for callers, and the functions that still work. */
import { existsSync, mkdirSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { daemonShow, execute, metricsExpose, metricsShow, processShow } from "../../src/core/index.ts";
import { IDLE, pm2, type Daemon, type Pm2 } from "../support/pm2-daemon.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read"] } as const;
let own: Pm2;
let daemon: Daemon;

beforeAll(async () => {
  own = pm2();
  daemon = await own.startDaemon();
  await own.run({ name: "idle" });
});
afterAll(async () => {
  await daemon.signal("SIGCONT");
  await own.end();
});

longTest("while PM2 hangs, a stream and /metrics report the host without delay", async () => {
  const ports = own.ports();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const request = { environment: "dev", intervalMs: 500, asyncContext: false };
  const samples = ports.telemetry.watch(request, stop.signal)[Symbol.asyncIterator]();
  await samples.next();
  const observed = { count: 0 };
  void (async () => {
    while ((await samples.next()).done !== true) observed.count += 1;
  })();
  await daemon.signal("SIGSTOP");
  const before = observed.count;
  const result = execute(metricsShow, ports, { environment: "dev" }, caller);
  const requestedAt = performance.now();
  const shown = execute(processShow, ports, { name: "idle", environment: "dev" }, caller);
  const shownAfter = shown.then(() => performance.now() - requestedAt);
  const text = execute(metricsExpose, ports, { version: "1.0.0", format: "openmetrics" }, caller);
  await expect(result).rejects.toMatchObject({ body: { code: "PM2_TIMEOUT" } });
  // The query took five seconds. A sampler that waits for PM2 would have reported the host once.
  expect(observed.count - before).toBeGreaterThan(1);
  expect(await text).toContain("svcm_pm2_up 0\n");
  expect(await text).toMatch(/^svcm_host_cpu_usage_ratio /m);
  // One time-out of five seconds; a second list would need ten.
  expect(await shownAfter).toBeLessThan(9000);
  expect(await shown).toMatchObject({ processes: [], declaration: null });
  await daemon.signal("SIGCONT");
  await ports.telemetry.close();
});

longTest("a late answer does not interrupt an action", async () => {
  const [requestFolder, free] = [join(own.folder, "requested"), join(own.folder, "free")];
  mkdirSync(requestFolder);
  const code = `const fs = require("node:fs");
    process.on("SIGINT", () => {
      fs.writeFileSync(${JSON.stringify(join(requestFolder, "to-end"))}, "");
      setInterval(() => fs.existsSync(${JSON.stringify(free)}) && process.exit(0), 20);
    });
    process.send("ready");${IDLE}`;
  await own.run({ name: "slow", code, wait_ready: true, kill_timeout: 60_000 });
  const link = own.link({ timeoutMs: 2000 });
  const slow = (await link.list()).find(({ name }) => name === "slow")!;
  const isRequested = new Promise<void>((resolve) => {
    const watcher = watch(requestFolder, () => {
      watcher.close();
      resolve();
    });
  });
  const restarted = link.restart(slow);
  await isRequested;
  await daemon.signal("SIGSTOP");
  const refusals = await Promise.allSettled([link.list(), link.list()]);
  for (const refusal of refusals) expect(refusal).toMatchObject({ reason: { body: { code: "PM2_TIMEOUT" } } });
  await daemon.signal("SIGCONT");
  writeFileSync(free, "");
  await expect(restarted).resolves.toMatchObject({ name: "slow", pid: slow.pid, restartCount: 0 });
  expect(existsSync(join(requestFolder, "to-end"))).toBe(true);
});

test("a suspended daemon is named, and a command waits for it only once", async () => {
  await daemon.signal("SIGSTOP");
  onTestFinished(() => daemon.signal("SIGCONT"));
  const link = own.link({ timeoutMs: 400, isCommand: true });
  const message = expect.stringMatching(/^PM2's daemon \(pid (\d+)\) is suspended, so .*kill -CONT \1$/s);
  const refused = await link.list().catch((error: unknown) => error);
  expect(refused).toMatchObject({ body: { code: "PM2_TIMEOUT" }, message });
  const again = performance.now();
  await expect(link.list()).rejects.toMatchObject({ message });
  expect(performance.now() - again).toBeLessThan(400);
  const ports = own.ports();
  await expect(execute(daemonShow, ports, {}, caller)).resolves.toMatchObject({
    daemons: expect.arrayContaining([expect.objectContaining({ isOwn: true, isSuspended: true })]),
    findings: expect.arrayContaining([expect.objectContaining({ code: "DAEMON_SUSPENDED" })]),
  });
});

test("an endless response is refused before it fills the memory", async () => {
  const hostile = pm2();
  onTestFinished(() => hostile.end());
  mkdirSync(hostile.home);
  const socket = join(hostile.home, "rpc.sock");
  rmSync(socket, { force: true });
  const chunk = Buffer.alloc(2 ** 20);
  // One message with one argument of four gigabytes.
  const head = Buffer.from([0x11, 0xff, 0xff, 0xff, 0xff]);
  const server = createServer((peer) => {
    peer.on("error", () => peer.destroy());
    const pump = (): void => {
      while (!peer.destroyed && peer.write(chunk));
      peer.once("drain", pump);
    };
    peer.once("data", () => {
      peer.write(head);
      pump();
    });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((done) => server.listen(socket, done));
  await expect(hostile.link({ timeoutMs: 60_000 }).list()).rejects.toMatchObject({
    body: { code: "PM2_ANSWER_TOO_LARGE" },
  });
  // PM2 creates its folders when it is loaded.
  expect(readdirSync(hostile.home)).toEqual(["rpc.sock"]);
});
