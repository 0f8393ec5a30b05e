import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { decide } from "../../../src/core/rollout/decide.ts";
import { computeDrift } from "../../../src/core/rollout/drift.ts";
import type { ExpectedApp } from "../../../src/core/rollout/expected.ts";
import { simulateApply } from "../../../src/core/rollout/read-states.ts";
import type { DecidedStep } from "../../../src/core/rollout/step.ts";
import { plainState } from "../../../src/core/running/state.ts";
import { expectedOf, type Fields } from "./loaded.ts";
import { inputOf, planFor, summarise } from "./plans.ts";
import { longTest } from "../../support/runs.ts";

/** Declarations of up to three apps with every field that affects a step. */
const app = fc.record(
  {
    name: fc.constantFrom("a", "b", "c"),
    script: fc.constantFrom("/srv/one.js", "/srv/two.js"),
    cwd: fc.constantFrom("/srv", "/opt"),
    args: fc.constantFrom("", "x", ["y z"]),
    node_args: fc.constantFrom("", "--title=a"),
    instances: fc.integer({ min: 1, max: 3 }),
    exec_mode: fc.constantFrom("fork", "cluster"),
    watch: fc.boolean(),
    namespace: fc.constantFrom("default", "other"),
    env: fc.dictionary(fc.constantFrom("A", "SVC_B", "watch"), fc.constantFrom("1", "2")),
    kill_timeout: fc.constantFrom(1000, "2000"),
    max_memory_restart: fc.constantFrom("1G", 5),
    cron_restart: fc.constantFrom("0 1 * * *", "0 2 * * *"),
    out_file: fc.constantFrom("a.log", "/dev/null"),
    autorestart: fc.boolean(),
  },
  { requiredKeys: ["name"] },
);
const declaration = fc.uniqueArray(app, { selector: ({ name }) => name }) as fc.Arbitrary<Fields[]>;
const declared = declaration.map(expectedOf);
const live = fc
  .tuple(declared, fc.array(fc.constantFrom("online", "stopped", "errored"), { minLength: 9, maxLength: 9 }))
  .map(([expected, statuses]) =>
    simulateApply(expected).map((record, index) => ({ ...record, status: statuses[index] ?? "online" })),
  );

const REST = { status: "stopped", pid: null, startedAt: null } as const;

/** PM2's list after the steps: each step changes its own processes, and only the fields that PM2 applies in that way. */
function applied(
  steps: readonly DecidedStep[],
  expected: readonly ExpectedApp[],
  before: readonly ProcessRecord[],
): ProcessRecord[] {
  let next = 100;
  const fresh = (name: string, count = 1): ProcessRecord[] =>
    simulateApply(expected.filter((one) => one.name === name))
      .slice(0, count)
      .map((record) => ({ ...record, pmId: (next += 1) }));
  const after: Record<DecidedStep["do"], (list: ProcessRecord[], step: DecidedStep) => ProcessRecord[]> = {
    start: (list, { app: name, instances }) => [...list, ...fresh(name, instances?.to)],
    resume: (list, { pmIds }) => list.map((one) => (pmIds.includes(one.pmId) ? { ...one, status: "online" } : one)),
    update: (list, { app: name, pmIds }) =>
      list.map((one) => {
        const { pmId, execMode, watching } = one;
        return pmIds.includes(pmId) ? { ...one, ...fresh(name)[0], pmId, execMode, watching } : one;
      }),
    scale: (list, { app: name, instances }) => {
      const { from = 0, to = 0 } = instances ?? {};
      const ours = list.filter((one) => one.name === name).slice(0, to);
      return [...list.filter((one) => one.name !== name), ...ours, ...fresh(name, Math.max(0, to - from))];
    },
    replace: (list, { app: name, pmIds, instances }) => [
      ...list.filter(({ pmId }) => !pmIds.includes(pmId)),
      ...fresh(name, instances?.to),
    ],
    register: (list, { app: name, pmIds, instances }) => [
      ...list.filter(({ pmId }) => !pmIds.includes(pmId)),
      ...fresh(name, instances?.to).map((one) => ({ ...one, ...REST })),
    ],
    preflight: (list) => list,
    remove: (list, { pmIds }) => list.filter(({ pmId }) => !pmIds.includes(pmId)),
    save: (list) => list,
  };
  let list = [...before];
  for (const step of steps) list = after[step.do](list, step);
  return list;
}

describe("for any declaration and any processes", () => {
  test("the plan after an apply is empty", () => {
    fc.assert(
      fc.property(declared, live, (expected, running) => {
        const { steps } = decide(inputOf(expected, running));
        const after = decide(inputOf(expected, applied(steps, expected, running)));
        expect(summarise(after.steps)).toEqual([]);
      }),
    );
  });

  longTest("two computations of a plan are equal", () => {
    const digest = (text: string): string => Buffer.from(text).toString("base64url").slice(-8);
    fc.assert(
      fc.property(declared, live, (expected, running) => {
        const plan = planFor(expected, running, { digest });
        expect(planFor(expected, running, { digest })).toEqual(plan);
      }),
    );
  });

  test("drift is empty if and only if the plan has no step", () => {
    fc.assert(
      fc.property(declared, live, (expected, running) => {
        const input = inputOf(expected, running);
        const { steps, undeclared, held } = decide(input);
        const isEmpty = steps.length === 0 && undeclared.length === 0 && held.length === 0;
        expect(computeDrift(input).drift.length === 0).toBe(isEmpty);
      }),
    );
  });
});

test.each<[string, Fields, number[], string]>([
  ["each one of a cluster", { exec_mode: "cluster", instances: 2 }, [0, 1], "update api reload down app missing"],
  ["one of two", { exec_mode: "cluster", instances: 2 }, [1], "update api reload none app missing"],
  ["a fork", {}, [0], "update api restart down app missing"],
])("where no code is loaded, no request is answered before the step: %s", (_what, fields, away, step) => {
  const input = inputOf(expectedOf([fields]), simulateApply(expectedOf([fields])));
  const stateOf: typeof input.stateOf = (record, kind) =>
    away.includes(record.pmId) ? plainState("not loaded") : input.stateOf(record, kind);
  expect(summarise(decide({ ...input, stateOf }).steps)).toEqual([step, "save none"]);
});
