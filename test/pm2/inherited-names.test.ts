/** Apps and variables with the names of members that every object inherits. */
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import {
  bootShow,
  ecosystemDrift,
  eventsList,
  eventWhy,
  execute,
  metricsExpose,
  metricsShow,
  processList,
  processShow,
  releaseList,
  releaseShow,
  rolloutApply,
  rolloutPlan,
  rolloutRollbackPlan,
} from "../../src/core/index.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";
import { withQuickClock } from "../support/quick-clock.ts";
import { longTest } from "../support/runs.ts";

const caller = { source: "cli", grants: ["read", "logs", "write"] } as const;
const NAMES = ["constructor", "toString", "hasOwnProperty", "__proto__"];
const own = pm2();
const ports = withQuickClock(own.ports());
/** PM2 itself ends when it restarts an app that has a variable `toString` or `valueOf`. */
const env = { isPrototypeOf: "1" };
const apps = ["x", ...NAMES].map((name) => ({ name, script: "./idle.cjs", env }));

beforeAll(async () => {
  await own.startDaemon();
  writeFileSync(join(own.folder, "idle.cjs"), IDLE);
  utimesSync(join(own.folder, "idle.cjs"), 1e9, 1e9);
  writeFileSync(join(own.folder, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
  own.pm2Folder(apps);
  for (const { name } of apps.slice(0, 3)) await own.startDeclared(name);
});
afterAll(() => own.end());

longTest("they are measured, planned, applied and explained as any other", async () => {
  const input = { environment: "dev" };
  const before = await execute(rolloutPlan, ports, input, caller);
  expect(before.steps.flatMap((step) => ("app" in step ? [step.app] : [])).toSorted()).toEqual(
    expect.arrayContaining(NAMES.slice(2).toSorted()),
  );
  const { release } = await execute(rolloutApply, ports, input, caller);
  expect(release?.outcome).toBe("applied");
  expect((await execute(rolloutPlan, ports, input, caller)).steps).toEqual([]);
  const { processes } = await execute(processList, ports, {}, caller);
  expect(processes.map(({ name }) => name).toSorted()).toEqual(apps.map(({ name }) => name).toSorted());
  const { drift } = await execute(ecosystemDrift, ports, input, caller);
  expect(drift).toEqual([]);
  for (const { name } of apps) {
    const shown = await execute(processShow, ports, { name, ...input }, caller);
    expect([shown.name, shown.declaration?.isDeclared, shown.processes.length]).toEqual([name, true, 1]);
    expect((await execute(eventWhy, ports, { name }, caller)).app).toBe(name);
  }
  const { releases } = await execute(releaseList, ports, {}, caller);
  const id = releases[0]?.id ?? "";
  expect((await execute(releaseShow, ports, { release: id }, caller)).id).toBe(id);
  await execute(rolloutRollbackPlan, ports, {}, caller);
  expect((await execute(metricsShow, ports, input, caller)).processes).toHaveLength(apps.length);
  expect(await execute(metricsExpose, ports, { version: "0", format: "openmetrics" }, caller)).toContain(
    'name="constructor"',
  );
  await execute(bootShow, ports, {}, caller);
  expect((await execute(eventsList, ports, {}, caller)).events.length).toBeGreaterThan(0);
});
