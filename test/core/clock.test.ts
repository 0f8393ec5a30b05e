/** The machine's clock is set during waits, which must not depend on it. */
import { FileError } from "../../src/core/files/ports.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execute, processAct, processList, SvcmError } from "../../src/core/index.ts";
import type { ProcessRecord } from "../../src/core/pm2/process-record.ts";

import { countingPorts, runningRecord, type CountingPorts } from "../support/counting-ports.ts";
import { settled } from "../support/hand-clock.ts";
import { pass, until, watch } from "../support/watcher.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
const HOUR = 3_600_000;

function restarting(world: CountingPorts): void {
  const restart = (): Promise<void> => {
    world.records = [again(world)];
    return Promise.resolve();
  };
  const withLock = <T>(_what: unknown, work: () => Promise<T>): Promise<T> => work();
  Object.assign(world.ports.processes, { restart, withLock });
  // A real disk takes real time.
  Object.assign(world.ports.audit, { append: () => Promise.resolve() });
  Object.assign(world.ports.processes, { listenForReady: () => Promise.resolve() });
  const unreadable = (): Promise<never> => Promise.reject(new SvcmError("PM2_FAILED", { details: "no disk" }));
  Object.assign(world.ports.releases, { list: () => Promise.resolve([]), recordedEnvironment: unreadable });
  Object.assign(world.ports.facts, { project: () => Promise.resolve(undefined) });
  const stamps = { ...world.ports.stamps, missing: () => new Set() };
  Object.defineProperty(world.ports, "stamps", { value: stamps });
  Object.assign(world.ports.files, {
    read: () => Promise.reject(new FileError("ENOENT", "deployments.yaml", "no file")),
  });
}

const again = ({ clock }: CountingPorts): ProcessRecord =>
  runningRecord({ pid: 4712, restartCount: 1, startedAt: clock.now() });

/** The duration of a restart during which the machine's clock is set. */
async function restartedIn(byMs: number): Promise<number> {
  const world = countingPorts();
  restarting(world);
  const end: { atMs?: number } = {};
  const done = execute(processAct, world.ports, { action: "restart", name: "api" }, caller).then(
    () => (end.atMs = world.clock.elapsed()),
  );
  while (world.clock.waiting === 0) await settled();
  world.clock.set(byMs);
  while (end.atMs === undefined && world.clock.elapsed() < 30_000) await world.clock.advance(100);
  await done;
  return end.atMs ?? Number.POSITIVE_INFINITY;
}

test.each([0, -HOUR, 24 * HOUR])(
  "a restart is done after the process is online for a second, with the clock set by %d ms",
  async (byMs) => {
    expect(await restartedIn(byMs)).toBe(1000);
  },
);

test("a process that PM2 is launching for more than 20 s is not restarted, however the clock is set", async () => {
  const world = countingPorts();
  restarting(world);
  world.records = [runningRecord({ status: "launching", startedAt: null })];
  const done = execute(processAct, world.ports, { action: "restart", name: "api" }, caller);
  while (world.clock.waiting === 0) await settled();
  world.clock.set(-HOUR);
  for (let waited = 0; waited < 19_900; waited += 100) await world.clock.advance(100);
  expect(world.records[0]!.status).toBe("launching");
  await expect(until(world, done)).rejects.toMatchObject({ body: { code: "APP_NEVER_SETTLES" } });
  expect(world.clock.elapsed()).toBeLessThan(22_000);
});

test("after a clock change, the stream and the queries to PM2 keep their intervals", async () => {
  const world = countingPorts();
  const { samples } = await watch(world, { intervalMs: 500 });
  for (const byMs of [-HOUR, 24 * HOUR, -HOUR]) {
    const [before, lists] = [samples.length, world.counts.list];
    await pass(world, 300);
    world.clock.set(byMs);
    await pass(world, 3700);
    expect([samples.length - before, world.counts.list - lists]).toEqual([8, 2]);
  }
});

test("an unknown uptime is null, never 0", async () => {
  const world = countingPorts();
  world.clock.set(-HOUR);
  const { samples } = await watch(world);
  expect(samples[0]).toMatchObject({ payload: { processes: [{ uptimeMs: null }] } });
  const { processes } = await execute(processList, world.ports, {}, caller);
  expect(processes).toMatchObject([{ uptimeMs: null }]);
});

/** Files whose times are shown to users or other programs. All other code uses the monotonic clock. */
const WALL_CLOCK = [
  "access/operations/access.ts",
  "access/refusal-log.ts",
  "access/with-audit.ts",
  "alerts/alert-state.ts",
  "alerts/alerting.ts",
  "alerts/operations/alerts.ts",
  "approvals/forget-ended.ts",
  "approvals/operations/proposal-create.ts",
  "approvals/operations/proposal-decide.ts",
  "deploy/operations/deploy.ts",
  "deploy/prepare.ts",
  "deploy/prune.ts",
  "events/feed.ts",
  "events/operations/events.ts",
  "events/operations/process-show.ts",
  "events/why.ts",
  "history/operations/history.ts",
  "metrics/operations/metrics.ts",
  "metrics/sampling/ecosystem-watch.ts",
  "metrics/sampling/measuring.ts",
  "rollout/apply/gate.ts",
  "rollout/apply/recording.ts",
  "rollout/apply/revert-apps.ts",
  "rollout/apply/rollback-code.ts",
  "rollout/apply/run-step.ts",
  "rollout/apply/run-steps.ts",
  "rollout/control/scale.ts",
  "rollout/env-file-copies.ts",
  "rollout/planning.ts",
  "running/read-serving.ts",
  "running/read-states.ts",
  "running/read-unserved.ts",
  "setup/operations/project-init.ts",
  "setup/operations/token-create.ts",
];

test("the machine's clock is used only for displayed times", () => {
  const core = join(import.meta.dirname, "../../src/core");
  const files = readdirSync(core, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const reading = files.filter((file) => /\bclock\.now\(/.test(readFileSync(join(core, file), "utf8")));
  expect(reading.toSorted()).toEqual(WALL_CLOCK);
});
