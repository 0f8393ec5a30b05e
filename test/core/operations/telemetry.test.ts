import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { execute, metricsExpose, metricsShow, type Sample, type WatchRequest } from "../../../src/core/index.ts";
import { countingPorts, record, type CountingPorts } from "../../support/counting-ports.ts";
import { settled } from "../../support/hand-clock.ts";

const caller = { source: "cli", grants: ["read"] } as const;

interface Watcher {
  readonly samples: Sample[];
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Watches, and takes each sample as soon as it is there. */
async function watch({ ports }: CountingPorts, request: Partial<WatchRequest> = {}): Promise<Watcher> {
  const stop = new AbortController();
  const samples: Sample[] = [];
  const asked = { environment: "dev", intervalMs: 1000, asyncContext: false, ...request };
  const ended = (async () => {
    for await (const sample of ports.telemetry.watch(asked, stop.signal)) samples.push(sample);
  })();
  onTestFinished(() => stop.abort());
  await first(samples, ended);
  return { samples, stop, ended };
}

/** The first sample may wait for the disk: where the ecosystem file is looked for. */
async function first(samples: readonly Sample[], ended: Promise<void>): Promise<void> {
  let hasEnded = false;
  void ended.finally(() => (hasEnded = true)).catch(() => undefined);
  while (samples.length === 0 && !hasEnded) await settled();
}

async function pass(world: CountingPorts, ms: number, step = 100): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) await world.clock.advance(step);
}

describe("the sampler", () => {
  test("measures nothing, and asks PM2 nothing, while nobody watches", async () => {
    const world = countingPorts();
    await pass(world, 10_000, 1000);
    expect(world.asked).toEqual({ list: 0, host: 0, opened: 0, closed: 0, scraped: 0 });
  });

  test("the first sample has no rates, the second one has", async () => {
    const world = countingPorts();
    const { samples } = await watch(world);
    await pass(world, 1000);
    expect(samples.map(({ payload }) => payload.host.cpu.usagePercent)).toEqual([null, 50]);
    const [before, now] = samples.map((sample) =>
      sample.kind === "metrics" ? sample.payload.processes[0] : undefined,
    );
    expect([before?.cpuPercent, now?.cpuPercent]).toEqual([null, 25]);
  });

  test("is one for all: the machine is read once a tick, at the fastest interval asked for", async () => {
    const world = countingPorts();
    const watchers = [await watch(world, { intervalMs: 2000 }), await watch(world), await watch(world)];
    await pass(world, 4000);
    const before = world.asked.host;
    await pass(world, 4000);
    expect(world.asked.host - before).toBe(4);
    expect(world.asked.opened).toBe(1);
    const counts = watchers.map(({ samples }) => samples.length);
    await watch(world, { intervalMs: 500 });
    const fast = world.asked.host;
    await pass(world, 4000);
    expect(world.asked.host - fast).toBe(8);
    expect(watchers.map(({ samples }, index) => samples.length - counts[index]!)).toEqual([2, 4, 4]);
  });

  test("slows down again when the fastest has left, and ends with the last", async () => {
    const world = countingPorts();
    const [slow, fast] = [await watch(world, { intervalMs: 2000 }), await watch(world, { intervalMs: 500 })];
    fast.stop.abort();
    await settled();
    const before = world.asked.host;
    await pass(world, 4000);
    expect(world.asked.host - before).toBe(2);
    slow.stop.abort();
    await Promise.all([slow.ended, fast.ended]);
    await settled();
    const { host, list } = world.asked;
    await pass(world, 4000);
    expect(world.asked).toMatchObject({ host, list, opened: 1, closed: 1 });
    expect(world.clock.waiting).toBe(0);
  });

  test("asks PM2 every two seconds, whatever the interval", async () => {
    const world = countingPorts();
    await watch(world, { intervalMs: 500 });
    const before = world.asked.list;
    await pass(world, 10_000, 500);
    expect(world.asked.list - before).toBe(5);
  });

  test("asks PM2 at once when a process is gone, and after an action", async () => {
    const world = countingPorts();
    const { samples } = await watch(world, { intervalMs: 500 });
    await pass(world, 500);
    world.gone.add(4711);
    world.records = [record({ pid: 4712, restartCount: 1 })];
    const before = world.asked.list;
    await pass(world, 500);
    expect(world.asked.list - before).toBe(1);
    expect(samples.at(-1)).toMatchObject({
      payload: { processes: [{ pid: 4712, restartCount: 1, cpuPercent: null }] },
    });
    world.ports.telemetry.refresh();
    await settled();
    expect(world.asked.list - before).toBe(2);
  });

  test("a process that the system does not show does not make PM2 be asked again and again", async () => {
    const world = countingPorts();
    world.gone.add(4711);
    await watch(world, { intervalMs: 500 });
    const before = world.asked.list;
    await pass(world, 4000, 500);
    expect(world.asked.list - before).toBe(2);
  });
});

describe("a watcher", () => {
  test("gets the newest sample at once, and the same object as others of its environment", async () => {
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

  test("who is slow skips samples and gets the newest", async () => {
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

  test("who stops asking and aborts is forgotten", async () => {
    const world = countingPorts();
    const stop = new AbortController();
    const request = { environment: "dev", intervalMs: 500, asyncContext: false };
    await world.ports.telemetry.watch(request, stop.signal)[Symbol.asyncIterator]().next();
    stop.abort();
    await settled();
    expect(world.asked).toMatchObject({ opened: 1, closed: 1 });
  });

  test("an unknown environment is refused", async () => {
    const world = countingPorts();
    const request = { environment: "moon", intervalMs: 500, asyncContext: false };
    const watching = world.ports.telemetry.watch(request, new AbortController().signal)[Symbol.asyncIterator]();
    await expect(watching.next()).rejects.toMatchObject({ kind: "INVALID_ENVIRONMENT" });
    expect(world.asked.opened).toBe(0);
  });

  test("close ends every watch", async () => {
    const world = countingPorts();
    const watchers = [await watch(world), await watch(world, { environment: "staging" })];
    await world.ports.telemetry.close();
    await Promise.all(watchers.map(({ ended }) => ended));
    expect(world.asked).toMatchObject({ opened: 1, closed: 1 });
  });
});

describe("while PM2 does not run", () => {
  test("the host goes on, with why, and PM2 is asked no more often than else", async () => {
    const world = countingPorts();
    world.records = undefined;
    const { samples } = await watch(world, { intervalMs: 500 });
    await pass(world, 4000, 500);
    expect(world.asked.list).toBe(3);
    expect(samples.at(-1)).toMatchObject({
      kind: "host",
      payload: { host: { cpu: { usagePercent: 50 }, memory: { processRssSumBytes: null, otherBytes: null } } },
      error: { code: "PM2_NOT_RUNNING", details: "No PM2 daemon runs." },
    });
    world.records = [record()];
    await pass(world, 2000, 500);
    expect(samples.at(-1)?.kind).toBe("metrics");
  });

  test("a single answer is refused with PM2's code, and OpenMetrics tells the host", async () => {
    const world = countingPorts();
    world.records = undefined;
    const shown = execute(metricsShow, world.ports, { environment: "dev" }, caller);
    const refused = expect(shown).rejects.toMatchObject({
      kind: "PM2_METRICS_FAILED",
      facts: { code: "PM2_NOT_RUNNING" },
    });
    await until(world, refused);
    const text = await until(world, execute(metricsExpose, world.ports, { version: "1.0.0" }, caller));
    expect(text).toContain("svcm_pm2_up 0\n");
    expect(text).toContain("svcm_host_cpu_usage_ratio 0.5\n");
    expect(text).not.toContain("svcm_process_");
  });
});

describe("a single answer", () => {
  test("has rates, and shares its measurement with whoever asks meanwhile", async () => {
    const world = countingPorts();
    const ask = () => execute(metricsShow, world.ports, { environment: "dev" }, caller);
    const answers = await until(world, Promise.all(Array.from({ length: 50 }, ask)));
    expect(answers[0]).toMatchObject({ host: { cpu: { usagePercent: 50 } }, processes: [{ cpuPercent: 25 }] });
    // One that was under way, and one for all that came later; each lists before and after.
    expect(world.asked).toMatchObject({ list: 4, host: 4, opened: 2, closed: 2 });
  });

  test("is measured after the question where the sampler runs", async () => {
    const world = countingPorts();
    await watch(world);
    await pass(world, 1100);
    world.records = [record({ name: "newer" })];
    const { processes } = await execute(metricsShow, world.ports, { environment: "dev" }, caller);
    expect(processes.map(({ name }) => name)).toEqual(["newer"]);
    expect(world.asked.opened).toBe(1);
  });
});

/** Moves the clock until something is done. */
async function until<T>(world: CountingPorts, done: Promise<T>): Promise<T> {
  let isDone = false;
  const end = (): void => void (isDone = true);
  done.then(end, end);
  while (!isDone) await world.clock.advance(50);
  return done;
}

describe("the ecosystem file", () => {
  function write(world: CountingPorts, text: string, name = "ecosystem.dev.config.cjs"): void {
    mkdirSync(join(world.root, "pm2"), { recursive: true });
    writeFileSync(join(world.root, "pm2", name), text);
  }

  const ecosystemOf = (sample: Sample | undefined) =>
    sample?.kind === "metrics" ? sample.payload.ecosystem : undefined;

  async function seen(world: CountingPorts, { samples }: Watcher, name: string): Promise<void> {
    while (!ecosystemOf(samples.at(-1))?.missingExpected.includes(name)) await pass(world, 1000, 500);
  }

  test("is run again when it changes, or what it requires, and not else", async () => {
    const world = countingPorts();
    let runs = 0;
    const { load } = world.ports.ecosystems;
    Object.assign(world.ports.ecosystems, { load: (path: string) => load(path).finally(() => (runs += 1)) });
    write(world, "exports.name = 'first';", "nested.cjs");
    write(world, "module.exports = { apps: [{ name: require('./nested.cjs').name, script: 'a.js' }] };");
    const watcher = await watch(world);
    await seen(world, watcher, "first");
    await pass(world, 60_000, 1000);
    const before = runs;
    await pass(world, 60_000, 1000);
    expect(runs).toBe(before);
    write(world, "exports.name = 'second';", "nested.cjs");
    await seen(world, watcher, "second");
    write(world, "module.exports = { apps: [{ name: 'third', script: 'a.js' }] };");
    await seen(world, watcher, "third");
    expect(ecosystemOf(watcher.samples.at(-1))).toMatchObject({ unexpected: ["api"], expectedProcessCount: 1 });
  });

  test("where there is none nothing is compared", async () => {
    const [sample] = (await watch(countingPorts(), { environment: "ci" })).samples;
    expect(ecosystemOf(sample)).toMatchObject({ exists: false, expectedProcessCount: 0, unexpected: [], drift: [] });
  });

  test("a broken one says so, and the metrics go on", async () => {
    const world = countingPorts();
    write(world, "module.exports = {");
    const [sample] = (await watch(world)).samples;
    expect(ecosystemOf(sample)).toMatchObject({
      exists: true,
      expectedProcessCount: null,
      drift: [],
      code: "ECOSYSTEM_FILE_SYNTAX",
    });
    expect(sample).toMatchObject({ kind: "metrics", payload: { summary: { processCount: 1 } } });
  });
});

describe("async contexts", () => {
  const withPort = { httpPort: 4000 };

  test("are asked for where that is asked for, once for processes that share a port", async () => {
    const world = countingPorts();
    world.records = [record(withPort), record({ ...withPort, pmId: 1, pid: 4712 }), record({ pmId: 2, pid: 4713 })];
    await watch(world);
    await pass(world, 3000, 500);
    expect(world.asked.scraped).toBe(0);
    const { samples } = await watch(world, { asyncContext: true });
    await pass(world, 2000, 500);
    const processes =
      samples.at(-1)?.kind === "metrics" ? (samples.at(-1) as Extract<Sample, { kind: "metrics" }>).payload : undefined;
    expect(processes?.processes.map(({ asyncContext }) => asyncContext)).toEqual([
      { active: 2, recentStores: [] },
      null,
      null,
    ]);
    expect(processes?.summary.asyncContextActiveSum).toBe(2);
  });

  test("a process that does not answer holds nobody up, and is not asked twice at a time", async () => {
    const world = countingPorts();
    world.records = [record(withPort)];
    world.scrape = () => new Promise(() => undefined);
    const { samples } = await watch(world, { asyncContext: true, intervalMs: 500 });
    await pass(world, 4000, 500);
    expect(samples.length).toBe(9);
    expect(world.asked.scraped).toBe(1);
  });
});
