/** Processes that an apply leaves as they are, and jobs that it registers without a run. */
import { describe, expect, test } from "vitest";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import type { Comparison } from "../../../src/core/rollout/compare.ts";
import { createFiniteSteps, holdBack } from "../../../src/core/rollout/hold-back.ts";
import { difference } from "../../../src/core/rollout/step.ts";
import { record } from "../../support/process-record.ts";

const JOB = { settings: { cronRestart: "0 3 * * *", autorestart: false } };
const one = (pmId: number, more: object = {}) =>
  record({
    pmId,
    status: "online",
    pid: 10 + pmId,
    startedAt: 5000,
    lastStartAt: 4000,
    ...more,
  });
const stopped = (pmId: number, more: object = {}) =>
  one(pmId, { status: "stopped", pid: null, startedAt: null, ...more });
const jobOf = (base: ProcessRecord): ProcessRecord => ({
  ...base,
  declaration: { ...base.declaration, settings: { ...base.declaration.settings, ...JOB.settings } },
});
const changed = (...pmIds: number[]) => difference("args", "different", pmIds);
const down = (...pmIds: number[]) => difference("app", "stopped", pmIds);

const comparison = (more: Partial<Comparison>): Comparison => ({
  app: { name: "api" } as never,
  kind: "service",
  instances: 2,
  processes: [one(0), one(1)],
  differences: [changed(0, 1)],
  unknown: [],
  ...more,
});

interface State {
  readonly name?: string;
  readonly stop?: { readonly atMs: number; readonly isSvcm: boolean; readonly actor?: string };
}
/** The states by PM2's number. */
const hold = (of: Comparison, states: Readonly<Record<number, State>> = {}, isRequested = false) =>
  holdBack(of, { stateOf: ({ pmId }: ProcessRecord) => ({ name: "online", ...states[pmId] }) } as never, isRequested);

const BY_AMY = { stop: { atMs: 1000, isSvcm: true, actor: "amy" }, name: "stopped" };

describe("a service that a user stopped", () => {
  test("stays stopped, and its others are updated", () => {
    const { acting, held } = hold(comparison({ differences: [changed(0, 1), down(1)] }), { 1: BY_AMY });
    expect(acting.differences).toEqual([changed(0)]);
    expect(held).toEqual({
      name: "api",
      pmIds: [1],
      state: "stopped",
      by: "amy",
      since: "1970-01-01T00:00:01.000Z",
      why: [changed(1), down(1)],
    });
  });

  test("stays as a whole if all are stopped, or if a change replaces them", () => {
    const all = hold(comparison({}), { 0: BY_AMY, 1: BY_AMY });
    expect([all.held?.pmIds, all.acting.differences]).toEqual([[0, 1], []]);
    const replaced = hold(comparison({ differences: [difference("execMode", "different", [0, 1])] }), { 1: BY_AMY });
    expect([replaced.held?.pmIds, replaced.acting.differences]).toEqual([[0, 1], []]);
  });

  test("is started by a request that names it, and is not held without a difference", () => {
    const of = comparison({});
    expect(hold(of, { 1: BY_AMY }, true)).toEqual({ acting: of, held: undefined });
    expect(hold(of)).toEqual({ acting: of, held: undefined });
    const same = comparison({ differences: [] });
    expect(hold(same, { 1: BY_AMY })).toEqual({ acting: same, held: undefined });
  });

  test.each<[State["stop"], string | null]>([
    [{ atMs: 1, isSvcm: true }, "svcm"],
    [{ atMs: 1, isSvcm: false, actor: "amy" }, null],
  ])("%j names who stopped it: %s", (stop, by) => {
    expect(hold(comparison({}), { 0: { stop: stop!, name: "stopped" } }).held?.by).toBe(by);
  });
});

describe("a task that failed", () => {
  const failed = { 0: { name: "failed" } };
  const task = (...differences: Comparison["differences"][number][]) =>
    comparison({ kind: "task", processes: [stopped(0)], differences });

  test("is not run again, unless it has a new definition or is named", () => {
    expect(hold(task(down(0)), failed).held).toMatchObject({
      state: "failed",
      by: null,
      since: "1970-01-01T00:00:04.000Z",
    });
    expect(hold(task(down(0), changed(0)), failed).held).toBeUndefined();
    expect(hold(task(down(0)), failed, true).held).toBeUndefined();
    expect(hold({ ...task(down(0)), kind: "service" }, failed).held).toBeUndefined();
  });
});

describe("a job that runs now", () => {
  const job = (process: ProcessRecord) =>
    hold(comparison({ kind: "job", processes: [process], differences: [changed(0)] }), {}, true);

  test("is not ended for a new definition, also if it is named", () => {
    const { acting, held } = job(jobOf(one(0)));
    expect([held?.pmIds, held?.state, held?.since, acting.differences]).toEqual([
      [0],
      "running",
      "1970-01-01T00:00:05.000Z",
      [],
    ]);
  });

  test("is one only if it was a job before, and runs", () => {
    expect([job(one(0)).held, job(jobOf(stopped(0))).held]).toEqual([undefined, undefined]);
    expect(job(jobOf(one(0, { pid: null }))).held).toBeUndefined();
  });
});

describe("the definition of what ends by itself", () => {
  const steps = (more: Partial<Comparison>) => createFiniteSteps(comparison({ instances: 1, ...more }));

  test("is given to PM2 without a run, once it has ended", () => {
    const [step] = steps({ kind: "task", processes: [stopped(3), stopped(2)] }) ?? [];
    expect(step).toMatchObject({
      do: "register",
      app: "api",
      pmIds: [2, 3],
      instances: { from: 2, to: 1 },
      disruption: "none",
    });
    expect(steps({ kind: "job", processes: [] })).toMatchObject([{ do: "register", disruption: "none" }]);
  });

  test("ends a service that became a job", () => {
    expect(steps({ kind: "job", processes: [one(0)] })).toMatchObject([{ disruption: "down" }]);
    expect(steps({ kind: "job", processes: [jobOf(one(0))] })).toMatchObject([{ disruption: "none" }]);
  });

  test.each<[string, Partial<Comparison>]>([
    ["a service", { kind: "service" }],
    ["a task that has never run", { kind: "task", processes: [] }],
    ["a task that runs", { kind: "task", processes: [stopped(0), one(1)] }],
    ["a task that is only to run again", { kind: "task", processes: [stopped(0)], differences: [down(0)] }],
  ])("is not how %s gets its own", (_what, more) => {
    expect(steps(more)).toBeUndefined();
  });
});
