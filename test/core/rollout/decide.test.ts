import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/core/api/rollout.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import type { ComparisonInput } from "../../../src/core/rollout/compare.ts";
import { decide } from "../../../src/core/rollout/decide.ts";
import type { DecidedStep } from "../../../src/core/rollout/step.ts";
import { computeDrift } from "../../../src/core/rollout/drift.ts";
import type { ExpectedApp } from "../../../src/core/rollout/expected.ts";
import { createPlan, type PlanContext } from "../../../src/core/rollout/plan.ts";
import { simulateApply } from "../../../src/core/rollout/revision.ts";
import { runningRecord } from "../../support/counting-ports.ts";
import { expectedOf, type Fields } from "./loaded.ts";

function inputOf(expected: readonly ExpectedApp[], running: readonly ProcessRecord[]): ComparisonInput {
  return { expected, running, modifiedMs: () => undefined, visibleKeys: new Set(), missingFolders: new Set() };
}

function decided(before: readonly Fields[], after: readonly Fields[]): DecidedStep[] {
  return [...decide(inputOf(expectedOf(after), simulateApply(expectedOf(before)))).steps];
}

function planFor(
  expected: readonly ExpectedApp[],
  running: readonly ProcessRecord[],
  more: Partial<Pick<PlanContext, "digest" | "warnings">> = {},
): Plan {
  const input = inputOf(expected, running);
  const about = {
    environment: "dev",
    name: "dev",
    fileName: "e",
    path: "/e",
    exists: true,
    choices: {},
    git: null,
    pm2: null,
    code: [],
    leftOut: [],
  };
  return createPlan(input, decide(input), { ...about, refused: new Map(), warnings: [], ...more });
}

test("a plan with steps shows a warning, which does not change its id", () => {
  const warning = { code: "ECOSYSTEM_VARIABLE_WITHHELD", severity: "warning", path: ["apps"], message: "A" } as const;
  const of = (expected: readonly ExpectedApp[]): Plan[] =>
    [[], [warning]].map((warnings) => planFor(expected, [], { warnings, digest: (text) => text.slice(-20) }));
  const [without, withWarning] = of(expectedOf([{}]));
  expect(withWarning).toEqual({ ...without, issues: [warning] });
  expect(of([])).toEqual([of([])[0], of([])[0]]);
});

const summarise = (steps: readonly DecidedStep[]): string[] =>
  steps.map(({ do: kind, app, method, disruption, why }) =>
    [kind, app, method, disruption, ...why.map(({ field, key, state }) => `${field}${key ? ` ${key}` : ""} ${state}`)]
      .filter(Boolean)
      .join(" "),
  );

const SAVE = "save none";

describe("a change decides its step", () => {
  test.each<[string, Fields, Fields, string[]]>([
    ["nothing", { env: { A: "1" } }, { env: { A: "1" } }, []],
    [
      "a variable in fork mode",
      { env: { A: "1" } },
      { env: { A: "2" } },
      ["update api restart gap env A different", SAVE],
    ],
    ["a removed variable", { env: { A: "1" } }, {}, ["update api restart gap env A stale", SAVE]],
    [
      "a script in cluster mode",
      { exec_mode: "cluster", instances: 2 },
      { exec_mode: "cluster", instances: 2, script: "/srv/new.js" },
      ["update api reload none script different", SAVE],
    ],
    ["more instances", { instances: 1 }, { instances: 3 }, ["scale api none instances different", SAVE]],
    [
      "more instances and a limit",
      { instances: 1 },
      { instances: 2, kill_timeout: 9000 },
      ["update api reload none killTimeout different", "scale api none instances different", SAVE],
    ],
    ["the mode", {}, { exec_mode: "cluster" }, ["replace api gap execMode different", SAVE]],
    ["watching", {}, { watch: true }, ["replace api gap watch different", SAVE]],
    [
      "a removed variable that is a field of PM2",
      { env: { max_restarts: "3" } },
      {},
      ["replace api gap env max_restarts stale", SAVE],
    ],
  ])("%s", (_what, before, after, steps) => {
    expect(summarise(decided([before], [after]))).toEqual(steps);
  });

  test("an update of one of several processes in fork mode does not affect the others", () => {
    const [before, after] = [
      { instances: 2, exec_mode: "fork" },
      { instances: 2, exec_mode: "fork", args: "x" },
    ];
    expect(decided([before], [after])[0]).toMatchObject({ method: "restart", disruption: "partial", pmIds: [0, 1] });
  });

  test("a stopped process is resumed, and is not drift", () => {
    const input = inputOf(expectedOf([{}]), [runningRecord({ status: "stopped", pid: null, startedAt: null })]);
    expect(summarise(decide(input).steps)).toEqual(["resume api none app stopped", SAVE]);
    expect(computeDrift(input).drift).toEqual([]);
  });

  test("a stopped process that differs is updated once", () => {
    const stopped = runningRecord({ status: "stopped", pid: null, startedAt: null, cwd: "/old" });
    expect(summarise(decide(inputOf(expectedOf([{ cwd: "/srv" }]), [stopped])).steps)).toEqual([
      "update api restart none cwd different",
      SAVE,
    ]);
  });

  test("running processes are changed before others are started", () => {
    const steps = decided([{ name: "b" }, { name: "old" }], [{ name: "a" }, { name: "b", args: "x" }]);
    expect(summarise(steps)).toEqual(["update b restart gap args different", "start a none app missing", SAVE]);
  });

  test("a process that no file declares is not changed", () => {
    const { steps, undeclared } = decide(inputOf([], [runningRecord({ name: "cron", pmId: 7 })]));
    expect(steps).toEqual([]);
    expect(undeclared).toEqual([{ name: "cron", pmIds: [7], owned: false }]);
  });

  test("a gap has the advice to use cluster mode, but only for Node.js", () => {
    expect(decided([{}], [{ args: "x" }])[0]?.notes).toContain("GAP_BY_FORK");
    const python = { interpreter: "python3" };
    expect(decided([python], [{ ...python, args: "x" }])[0]?.notes).not.toContain("GAP_BY_FORK");
  });
});

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

  test("two computations of a plan are equal", () => {
    const digest = (text: string): string => Buffer.from(text).toString("base64url").slice(-8);
    fc.assert(
      fc.property(declared, live, (expected, running) => {
        const plan = planFor(expected, running, { digest });
        expect(planFor(expected, running, { digest })).toEqual(plan);
      }),
    );
  });

  test("drift is empty if and only if the plan only resumes", () => {
    fc.assert(
      fc.property(declared, live, (expected, running) => {
        const input = inputOf(expected, running);
        const { steps, undeclared } = decide(input);
        const isOnlyResumed = steps.every((step) => step.do === "resume" || step.do === "save");
        expect(computeDrift(input).drift.length === 0).toBe(isOnlyResumed && undeclared.length === 0);
      }),
    );
  });
});

describe("the id of a plan", () => {
  const hash = (text: string): string => {
    let state = 7;
    for (const letter of text) state = (state * 31 + letter.charCodeAt(0)) % 2 ** 31;
    return state.toString(36).padStart(8, "x");
  };
  const idOf = (expected: ExpectedApp[], running: ProcessRecord[]): string | null =>
    planFor(expected, running, { digest: hash }).id;
  const after = expectedOf([{ args: "x" }]);
  const [record] = simulateApply(expectedOf([{}])) as [ProcessRecord];

  test("stays the same after a restart of the process", () => {
    const restarted = { ...record, pid: 99, restartCount: 4, createdAt: 5 };
    expect(idOf(after, [restarted])).toBe(idOf(after, [record]));
  });

  test.each<[string, ExpectedApp[], ProcessRecord]>([
    ["another declaration", expectedOf([{ args: "y" }]), record],
    ["another definition of the process", after, { ...record, cwd: "/other" }],
    ["another process with the same definition", after, { ...record, uniqueId: "other" }],
  ])("changes with %s", (_what, expected, running) => {
    expect(idOf(expected, [running])).not.toBe(idOf(after, [record]));
  });

  test("a plan against a revision has no id, because it cannot be applied", () => {
    expect(planFor(after, [record]).id).toBeNull();
  });
});

test("an app that would start on the port of an undeclared process with the same script is an error", () => {
  const expected = expectedOf([{ name: "new", env: { SVC_HTTP_PORT: "3000" } }]);
  const old = runningRecord({ name: "old", httpPort: 3000 });
  expect(planFor(expected, [old]).issues).toMatchObject([
    { code: "APP_PORT_TAKEN", path: ["apps", "new"], severity: "error" },
  ]);
  expect(planFor(expected, [{ ...old, httpPort: 3001 }]).issues).toEqual([]);
});
