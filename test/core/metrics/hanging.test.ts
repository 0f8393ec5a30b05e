/** A PM2 that does not answer: the host keeps its interval, and each caller waits for at most one time-out. */
import { expect, onTestFinished, test, vi } from "vitest";
import { execute, metricsExpose, metricsShow, SvcmError } from "../../../src/core/index.ts";
import { ProcessTable } from "../../../src/core/metrics/sampling/measuring.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { countingPorts, type CountingPorts } from "../../support/counting-ports.ts";
import { settled } from "../../support/hand-clock.ts";
import { pass, until, watch } from "../../support/watcher.ts";

const caller = { source: "cli", grants: ["read"] } as const;
const TIMEOUT_MS = 5000;

function answering({ ports: { processes } }: CountingPorts): () => Promise<ProcessRecord[]> {
  return processes.list.bind(processes);
}

/** From now on, each query fails after five seconds, as in the link to PM2. */
function hang(world: CountingPorts): void {
  const list = answering(world);
  const late = async (): Promise<ProcessRecord[]> => {
    void list().catch(() => undefined); // counted
    await world.clock.sleep(TIMEOUT_MS);
    throw new SvcmError("PM2_FAILED", { code: "PM2_TIMEOUT", details: "PM2 did not answer within 5000 ms." });
  };
  Object.assign(world.ports.processes, { list: late });
}

const codeOf = (answer: Promise<unknown>): Promise<string | undefined> =>
  answer.then(
    () => "answered",
    (error: SvcmError) => error.body.code,
  );

test("the stream keeps its interval: first with the last processes, then with the host and the error", async () => {
  const world = countingPorts();
  const list = answering(world);
  const { samples } = await watch(world, { intervalMs: 500 });
  hang(world);
  await pass(world, 2000);
  const [before, lists] = [samples.length, world.counts.list];
  await pass(world, 20_000);
  const during = samples.slice(before);
  expect(during.length).toBeGreaterThanOrEqual(39);
  const firstHost = during.findIndex(({ kind }) => kind === "host");
  expect(firstHost).toBeGreaterThan(0);
  // Five seconds after PM2's last answer.
  expect(firstHost).toBeLessThanOrEqual(6);
  for (const sample of during.slice(firstHost)) expect(sample).toMatchObject({ error: { code: "PM2_TIMEOUT" } });
  expect(during.at(-1)).toMatchObject({ payload: { host: { cpu: { usagePercent: 50 } } } });
  expect(world.counts.list - lists).toBeLessThanOrEqual(4);
  Object.assign(world.ports.processes, { list });
  while (samples.at(-1)?.kind !== "metrics") await pass(world, 500);
});

test("a caller that starts while PM2 hangs receives the host within three seconds", async () => {
  const world = countingPorts();
  hang(world);
  const samples: unknown[] = [];
  const stop = new AbortController();
  const request = { environment: "dev", intervalMs: 1000, asyncContext: false };
  void (async () => {
    for await (const sample of world.ports.telemetry.watch(request, stop.signal)) samples.push(sample);
  })();
  while (world.clock.waiting === 0) await settled();
  await pass(world, 2900);
  expect(samples[0]).toMatchObject({ kind: "host", error: { code: "PM2_TIMEOUT" } });
  await pass(world, 10_000);
  expect(samples.length).toBeGreaterThanOrEqual(10);
  stop.abort();
});

test.each([false, true])(
  "a single sample waits for one time-out, also for several callers; beside a stream: %s",
  async (isWatched) => {
    const show = ({ ports }: CountingPorts) => execute(metricsShow, ports, { environment: "dev" }, caller);
    const expose = ({ ports }: CountingPorts) =>
      execute(metricsExpose, ports, { version: "1.0.0", format: "openmetrics" }, caller);
    // Loads the modules, which takes real time while the clock of the test advances.
    const first = countingPorts();
    hang(first);
    await until(first, Promise.all([codeOf(show(first)), expose(first)]));
    const world = countingPorts();
    if (isWatched) await watch(world, { intervalMs: 500 });
    hang(world);
    const startMs = world.clock.elapsed();
    const ended: number[] = [];
    const note = (): void => void ended.push(world.clock.elapsed() - startMs);
    // Only the query is measured, because reading files takes real time.
    // oxlint-disable-next-line typescript/unbound-method -- it is called with its object
    const { refresh } = ProcessTable.prototype;
    const questions = vi.spyOn(ProcessTable.prototype, "refresh").mockImplementation(function (this: ProcessTable) {
      return refresh.call(this).finally(note);
    });
    onTestFinished(() => questions.mockRestore());
    const waitForQuestions = async (count: number): Promise<void> => {
      while (questions.mock.calls.length < count) await settled();
    };
    const failed = codeOf(show(world));
    await waitForQuestions(1);
    const exposed = expose(world);
    await pass(world, 3000);
    const before = questions.mock.calls.length;
    const later = codeOf(show(world));
    await waitForQuestions(before + 1);
    const text = await until(world, exposed);
    expect(await until(world, Promise.all([failed, later]))).toEqual(["PM2_TIMEOUT", "PM2_TIMEOUT"]);
    expect(text).toContain("svcm_pm2_up 0\n");
    expect(text).toContain("svcm_host_cpu_usage_ratio 0.5\n");
    expect(Math.max(...ended)).toBeLessThanOrEqual(TIMEOUT_MS + 700);
  },
);

test("the last list of PM2 counts for two and a half seconds after a request without an answer", async () => {
  const world = countingPorts();
  const table = new ProcessTable(world.ports);
  expect(await table.read({ isForced: true })).toHaveProperty("records");
  hang(world);
  await world.clock.advance(2000);
  const read = () => until(world, table.read({ isForced: false }));
  const requestedMs = world.clock.elapsed();
  expect(await read()).toHaveProperty("records");
  await world.clock.advance(requestedMs + 2499 - world.clock.elapsed());
  expect(await table.read({ isForced: false })).toHaveProperty("records");
  await world.clock.advance(1);
  expect(await table.read({ isForced: false })).toMatchObject({ error: { code: "PM2_TIMEOUT" } });
});
