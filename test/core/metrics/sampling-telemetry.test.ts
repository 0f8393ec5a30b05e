import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { execute, metricsExpose, metricsShow, type Sample } from "../../../src/core/index.ts";
import { countingPorts, runningRecord, type CountingPorts } from "../../support/counting-ports.ts";
import { settled } from "../../support/hand-clock.ts";
import { pass, until, watch } from "../../support/watcher.ts";

const NO_LOGS = {
  logs: [],
  deleted: [],
  disks: new Map(),
  hasPm2Logrotate: false,
  logrotate: [],
  areWritersHidden: false,
  isHomeOfOther: false,
  fullDiskMs: null,
};
const caller = { source: "cli", grants: ["read"] } as const;

describe("the sampler", () => {
  test("telemetry without watchers measures nothing and does not query PM2", async () => {
    const world = countingPorts();
    await pass(world, 10_000, 1000);
    expect(world.counts).toEqual({ list: 0, host: 0, opened: 0, closed: 0, scraped: 0 });
  });

  test("the first sample has no rates, but the second one does", async () => {
    const world = countingPorts();
    const { samples } = await watch(world);
    await pass(world, 1000);
    expect(samples.map(({ payload }) => payload.host.cpu.usagePercent)).toEqual([null, 50]);
    const [before, now] = samples.map((sample) =>
      sample.kind === "metrics" ? sample.payload.processes[0] : undefined,
    );
    expect([before?.cpuPercent, now?.cpuPercent]).toEqual([null, 25]);
  });

  test("all watchers share one sampler: the machine is read once per tick, at the shortest interval", async () => {
    const world = countingPorts();
    const watchers = [await watch(world, { intervalMs: 2000 }), await watch(world), await watch(world)];
    await pass(world, 4000);
    const before = world.counts.host;
    await pass(world, 4000);
    expect(world.counts.host - before).toBe(4);
    expect(world.counts.opened).toBe(1);
    const counts = watchers.map(({ samples }) => samples.length);
    await watch(world, { intervalMs: 500 });
    const fast = world.counts.host;
    await pass(world, 4000);
    expect(world.counts.host - fast).toBe(8);
    expect(watchers.map(({ samples }, index) => samples.length - counts[index]!)).toEqual([2, 4, 4]);
  });

  test("the sampler slows down if the fastest watcher leaves, and stops with the last one", async () => {
    const world = countingPorts();
    const [slow, fast] = [await watch(world, { intervalMs: 2000 }), await watch(world, { intervalMs: 500 })];
    fast.stop.abort();
    await settled();
    const before = world.counts.host;
    await pass(world, 4000);
    expect(world.counts.host - before).toBe(2);
    slow.stop.abort();
    await Promise.all([slow.ended, fast.ended]);
    await settled();
    const { host, list } = world.counts;
    await pass(world, 4000);
    expect(world.counts).toMatchObject({ host, list, opened: 1, closed: 1 });
    expect(world.clock.waiting).toBe(0);
  });

  test("the sampler queries PM2 every two seconds at any interval", async () => {
    const world = countingPorts();
    await watch(world, { intervalMs: 500 });
    const before = world.counts.list;
    await pass(world, 10_000, 500);
    expect(world.counts.list - before).toBe(5);
  });

  test("a quiet watcher lists the processes once a minute, or when PM2 logs, a process ends or PM2 fails", async () => {
    const world = countingPorts();
    const log = join(world.root, ".pm2", "pm2.log");
    mkdirSync(dirname(log));
    writeFileSync(log, "PM2 log: App [api:0] online\n");
    const quiet = { intervalMs: 10_000, quietListMs: 60_000 };
    await watch(world, quiet);
    const lists = async (ms: number): Promise<number> => {
      const before = world.counts.list;
      await pass(world, ms, 10_000);
      return world.counts.list - before;
    };
    expect(await lists(50_000)).toBe(0);
    expect(await lists(60_000)).toBe(1);
    appendFileSync(log, "PM2 log: App [api:1] starting in -fork mode-\n");
    expect(await lists(10_000)).toBe(1);
    expect(await lists(30_000)).toBe(0);
    world.gone.add(4711);
    world.records = [runningRecord({ pid: 4712 })];
    expect(await lists(10_000)).toBe(1);
    world.records = undefined;
    expect(await lists(60_000)).toBe(1);
    expect(await lists(20_000)).toBe(2);
    world.records = [runningRecord()];
    const viewer = await watch(world, { intervalMs: 10_000 });
    expect(await lists(30_000)).toBe(3);
    viewer.stop.abort();
    await settled();
    rmSync(log);
    expect(await lists(30_000)).toBe(3);
  });

  test("the sampler queries PM2 immediately if a process is gone, and after an action", async () => {
    const world = countingPorts();
    const { samples } = await watch(world, { intervalMs: 500 });
    await pass(world, 500);
    world.gone.add(4711);
    world.records = [runningRecord({ pid: 4712, restartCount: 1 })];
    const before = world.counts.list;
    await pass(world, 500);
    expect(world.counts.list - before).toBe(1);
    expect(samples.at(-1)).toMatchObject({
      payload: { processes: [{ pid: 4712, restartCount: 1, cpuPercent: null }] },
    });
    world.ports.telemetry.refresh();
    await settled();
    expect(world.counts.list - before).toBe(2);
  });

  test("a process that the system does not show does not cause repeated queries to PM2", async () => {
    const world = countingPorts();
    world.gone.add(4711);
    await watch(world, { intervalMs: 500 });
    const before = world.counts.list;
    await pass(world, 4000, 500);
    expect(world.counts.list - before).toBe(2);
  });
});

describe("a watcher", () => {
  test("a watcher receives the newest sample immediately, and the same object as others of its environment", async () => {
    const world = countingPorts();
    const early = await watch(world);
    await pass(world, 500);
    const late = await watch(world);
    expect(late.samples[0]).toBe(early.samples[0]);
    await pass(world, 1000);
    expect(late.samples.at(-1)).toBe(early.samples.at(-1));
    const other = await watch(world, { environment: "staging" });
    expect(other.samples[0]).toMatchObject({ payload: { environment: "staging" } });
  });

  test("a slow watcher skips samples and receives the newest", async () => {
    const world = countingPorts();
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const request = { environment: "dev", intervalMs: 500, asyncContext: false };
    const slow = world.ports.telemetry.watch(request, stop.signal)[Symbol.asyncIterator]();
    await slow.next();
    await pass(world, 10_000, 500);
    const { value } = await slow.next();
    expect((value as Sample).payload.collectedAt).toBe(new Date(world.clock.now()).toISOString());
    let hasMore = false;
    void slow.next().then(() => (hasMore = true));
    await settled();
    expect(hasMore).toBe(false);
  });

  test("a watcher that stops reading and aborts is removed", async () => {
    const world = countingPorts();
    const stop = new AbortController();
    const request = { environment: "dev", intervalMs: 500, asyncContext: false };
    await world.ports.telemetry.watch(request, stop.signal)[Symbol.asyncIterator]().next();
    stop.abort();
    await settled();
    expect(world.counts).toMatchObject({ opened: 1, closed: 1 });
  });

  test("an unknown environment is refused", async () => {
    const world = countingPorts();
    const request = { environment: "moon", intervalMs: 500, asyncContext: false };
    const watching = world.ports.telemetry.watch(request, new AbortController().signal)[Symbol.asyncIterator]();
    await expect(watching.next()).rejects.toMatchObject({ kind: "INVALID_ENVIRONMENT" });
    expect(world.counts.opened).toBe(0);
  });

  test("closing the telemetry ends every watch", async () => {
    const world = countingPorts();
    const watchers = [await watch(world), await watch(world, { environment: "staging" })];
    await world.ports.telemetry.close();
    await Promise.all(watchers.map(({ ended }) => ended));
    expect(world.counts).toMatchObject({ opened: 1, closed: 1 });
  });
});

describe("while PM2 does not run", () => {
  test("if PM2 cannot be read, the host is still reported with the reason, and PM2 is not queried more often", async () => {
    const world = countingPorts();
    world.records = undefined;
    const { samples } = await watch(world, { intervalMs: 500 });
    await pass(world, 4000, 500);
    expect(world.counts.list).toBe(3);
    expect(samples.at(-1)).toMatchObject({
      kind: "host",
      payload: { host: { cpu: { usagePercent: 50 }, memory: { processRssSumBytes: null, otherBytes: null } } },
      error: { code: "PM2_NOT_RUNNING", details: "No PM2 daemon runs." },
    });
    world.records = [runningRecord()];
    // The search for the ecosystem file reads the disk.
    while (samples.at(-1)?.kind !== "metrics") await pass(world, 500);
    expect(samples.at(-1)).toMatchObject({ payload: { summary: { processCount: 1 } } });
  });

  test("a single sample is refused with PM2's code, and OpenMetrics has the host", async () => {
    const world = countingPorts();
    world.records = undefined;
    const shown = until(world, execute(metricsShow, world.ports, { environment: "dev" }, caller));
    await expect(shown).rejects.toMatchObject({ kind: "PM2_METRICS_FAILED", body: { code: "PM2_NOT_RUNNING" } });
    const text = await until(
      world,
      execute(metricsExpose, world.ports, { version: "1.0.0", format: "openmetrics" }, caller),
    );
    expect(text).toContain("svcm_pm2_up 0\n");
    expect(text).toContain("svcm_host_cpu_usage_ratio 0.5\n");
    expect(text).not.toContain("svcm_process_");
  });
});

describe("metrics for Prometheus", () => {
  const expose = (world: CountingPorts) =>
    until(world, execute(metricsExpose, world.ports, { version: "1.0.0", format: "openmetrics" }, caller));

  test("a second scrape within two seconds measures nothing, and a later one measures again", async () => {
    const world = countingPorts();
    await expose(world);
    const { list, host } = world.counts;
    await pass(world, 1000);
    expect(await expose(world)).toContain("svcm_host_cpu_usage_ratio 0.5\n");
    expect(world.counts).toMatchObject({ list, host });
    await pass(world, 2000);
    await expose(world);
    expect(world.counts).toMatchObject({ list: 2 * list, host: 2 * host });
  });

  test("an old look at the logs has no present sizes", async () => {
    const world = countingPorts();
    const survey = { ...NO_LOGS, home: "/home/app/.pm2", atMs: world.clock.now() };
    Object.assign(world.ports, { logCare: { ...world.ports.logCare, last: () => survey } });
    expect(await expose(world)).toContain("svcm_log_deleted_bytes 0\n");
    await pass(world, 3 * 60_000, 60_000);
    expect(await expose(world)).not.toContain("svcm_log_");
  });
});

describe("a single sample", () => {
  test("a single sample has rates and shares its measurement with concurrent callers", async () => {
    const world = countingPorts();
    const ask = () => execute(metricsShow, world.ports, { environment: "dev" }, caller);
    const answers = await until(world, Promise.all(Array.from({ length: 50 }, ask)));
    expect(answers[0]).toMatchObject({ host: { cpu: { usagePercent: 50 } }, processes: [{ cpuPercent: 25 }] });
    // One query and measurement that was in progress, and one for all later callers.
    expect(world.counts).toMatchObject({ list: 2, host: 4, opened: 2, closed: 2 });
  });

  test("a single sample is measured after the request, also if the sampler runs", async () => {
    const world = countingPorts();
    await watch(world);
    await pass(world, 1100);
    world.records = [runningRecord({ name: "newer" })];
    const { processes } = await execute(metricsShow, world.ports, { environment: "dev" }, caller);
    expect(processes.map(({ name }) => name)).toEqual(["newer"]);
    expect(world.counts.opened).toBe(1);
  });

  test("a single sample marks only the process that serves it", async () => {
    const world = countingPorts();
    world.records = [runningRecord({ name: "svcm", pid: process.pid }), runningRecord({ name: "api", pmId: 1 })];
    const shown = until(world, execute(metricsShow, world.ports, { environment: "dev" }, caller));
    const [other, own] = (await shown).processes;
    expect(own).toMatchObject({ name: "svcm", isOwn: true });
    expect(other).not.toHaveProperty("isOwn");
  });
});
