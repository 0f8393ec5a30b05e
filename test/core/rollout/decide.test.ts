import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/core/api/rollout.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { decide } from "../../../src/core/rollout/decide.ts";
import type { DecidedStep } from "../../../src/core/rollout/step.ts";
import { computeDrift } from "../../../src/core/rollout/drift.ts";
import type { ExpectedApp } from "../../../src/core/rollout/expected.ts";
import { createPlan } from "../../../src/core/rollout/plan.ts";
import { simulateApply } from "../../../src/core/rollout/read-states.ts";
import { runningRecord } from "../../support/counting-ports.ts";
import { expectedOf, type Fields } from "./loaded.ts";
import { inputOf, planFor, summarise } from "./plans.ts";

function decided(before: readonly Fields[], after: readonly Fields[]): DecidedStep[] {
  return [...decide(inputOf(expectedOf(after), simulateApply(expectedOf(before)))).steps];
}

test("a plan with steps shows a warning, which does not change its id", () => {
  const warning = { code: "ECOSYSTEM_VARIABLE_WITHHELD", severity: "warning", path: ["apps"], message: "A" } as const;
  const of = (expected: readonly ExpectedApp[]): Plan[] =>
    [[], [warning]].map((warnings) => planFor(expected, [], { warnings, digest: (text) => text.slice(-20) }));
  const [without, withWarning] = of(expectedOf([{}]));
  expect(withWarning).toEqual({ ...without, issues: [warning] });
  expect(of([])).toEqual([of([])[0], of([])[0]]);
});

const SAVE = "save none";

describe("another port", () => {
  const moved = (before: Fields, after: Fields) =>
    decided([before], [after]).map(({ port, disruption }) => [port, disruption]);
  const both: Fields = { exec_mode: "cluster", instances: 2 };
  test.each<[string, Fields, Fields, object]>([
    ["PORT", { ...both, env: { PORT: "8080" } }, { ...both, env: { PORT: "3000" } }, { from: 8080, to: 3000 }],
    ["a number", { env: { PORT: 8080 } }, { env: { PORT: 3000 } }, { from: 8080, to: 3000 }],
    ["SVC_HTTP_PORT", { env: { SVC_HTTP_PORT: "1" } }, { env: { SVC_HTTP_PORT: "2" } }, { from: 1, to: 2 }],
    ["with another mode", { env: { PORT: "1" } }, { ...both, env: { PORT: "2" } }, { from: 1, to: 2 }],
  ])("moves the requests: %s", (_title, before, after, port) => {
    expect(moved(before, after)[0]).toEqual([port, "down"]);
  });

  test.each<[string, Fields, Fields]>([
    ["the same port and another value", { env: { PORT: "1", A: "1" } }, { env: { PORT: "1", A: "2" } }],
    ["a port that is declared for the first time", {}, { env: { PORT: "1" } }],
    ["no port", { env: { PORT: "1" } }, { env: { PORT: "a pipe" } }],
    ["the port of another server", { env: { DB_PORT: "1" } }, { env: { DB_PORT: "2" } }],
  ])("does not move them: %s", (_title, before, after) => {
    expect(moved(before, after)[0]).toEqual([undefined, "gap"]);
  });
});

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

  test("a stopped process is resumed, and is missing in drift", () => {
    const input = inputOf(expectedOf([{}]), [runningRecord({ status: "stopped", pid: null, startedAt: null })]);
    expect(summarise(decide(input).steps)).toEqual(["resume api none app stopped", SAVE]);
    expect(computeDrift(input)).toMatchObject({ missingExpected: ["api"], drift: [{ state: "missing" }] });
  });

  test("a stopped process that differs is updated once", () => {
    const stopped = runningRecord({ status: "stopped", pid: null, startedAt: null, cwd: "/old" });
    expect(summarise(decide(inputOf(expectedOf([{ cwd: "/srv" }]), [stopped])).steps)).toEqual([
      "update api restart none cwd different",
      SAVE,
    ]);
  });

  test.each([
    ["runs", "down", {}],
    ["is stopped", "none", { status: "stopped", pid: null }],
  ])("a service that %s and becomes a job: %s", (_what, disruption, fields) => {
    const running = simulateApply(expectedOf([{}])).map((one) => ({ ...one, ...fields }));
    const job = expectedOf([{ autorestart: false, cron_restart: "0 3 * * *" }]);
    expect(decide(inputOf(job, running)).steps[0]).toMatchObject({ do: "register", disruption });
  });

  describe("processes that do not stay up", () => {
    const [old, other] = simulateApply(expectedOf([{ exec_mode: "cluster", instances: 2 }]));
    const failingSteps = (after: Fields, ...failing: number[]): string[] => {
      const expected = expectedOf([{ exec_mode: "cluster", instances: 2, ...after }]);
      const input = inputOf(expected, [old!, other!]);
      return summarise(decide({ ...input, failing: new Set(failing) }).steps);
    };

    test.each<[string, Fields, number[], string[]]>([
      [
        "one is repaired before the other is changed",
        { args: "x" },
        [1],
        ["update api restart none app failing args different", "update api reload none args different"],
      ],
      ["one is repaired without another difference", {}, [0], ["update api restart none app failing"]],
      ["all are repaired, and the app is down", {}, [0, 1], ["update api restart down app failing"]],
    ])("%s", (_what, after, failing, steps) => {
      expect(failingSteps(after, ...failing)).toEqual([...steps, SAVE]);
    });

    test("one does not hide that the other one is stopped", () => {
      const input = inputOf(expectedOf([{ exec_mode: "cluster", instances: 2 }]), [
        old!,
        { ...other!, status: "stopped", pid: null },
      ]);
      const { steps } = decide({ ...input, failing: new Set([0]) });
      const states = steps.flatMap(({ why }) =>
        why.map(({ field, state, pmIds }) => [field, state, ...pmIds].join(" ")),
      );
      expect(states).toEqual(["app failing 0", "app stopped 1"]);
    });
  });

  test("a stopped process is started before another one is changed", () => {
    const [stale, stopped] = simulateApply(expectedOf([{ exec_mode: "cluster", instances: 2 }]));
    const running = [
      { ...stale!, script: "/old.js" },
      { ...stopped!, status: "stopped", pid: null },
    ];
    const expected = expectedOf([{ exec_mode: "cluster", instances: 2 }]);
    expect(summarise(decide(inputOf(expected, running)).steps)).toEqual([
      "resume api none app stopped",
      "update api reload none script different",
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
    for (const other of [python, { script: "/usr/bin/npm" }, { script: "/srv/node_modules/.bin/next.js" }])
      expect(decided([other], [{ ...other, args: "x" }])[0]?.notes).not.toContain("GAP_BY_FORK");
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

describe("an app that an apply started and the file declares by another name", () => {
  const [old] = simulateApply(expectedOf([{ name: "old", env: { SVC_HTTP_PORT: "3000" } }]));
  const renamed = (fields: Fields, former: Partial<ProcessRecord> = {}): string[] => {
    const expected = expectedOf([{ name: "new", ...fields }]);
    return summarise(decide(inputOf(expected, [{ ...old!, ...former }]), { owned: new Set(["old"]) }).steps);
  };

  test("is renamed in place with its other changes, if script and port are the same", () => {
    expect(renamed({ env: { SVC_HTTP_PORT: "3000", A: "1" }, args: "x" })).toEqual([
      "update new restart gap app different args different env A absent errorFile different outFile different",
      SAVE,
    ]);
  });

  test("is renamed with its other changes by PORT, too", () => {
    expect(renamed({ env: { PORT: "8080", A: "1" } }, { port: 8080, httpPort: null })[0]).toMatch(/^update new /);
    expect(renamed({ env: { PORT: "8081", A: "1" } }, { port: 8080, httpPort: null })[0]).toMatch(/^start new /);
  });

  test("is renamed by a deploy, whose paths differ by the release", () => {
    const place = (name: string) => ({ script: `/srv/releases/${name}/a.js`, cwd: `/srv/releases/${name}` });
    const [first, second, other] = [place("1"), place("2"), { script: "/srv/2/a.js", cwd: "/srv/2" }];
    const env = { SVC_HTTP_PORT: "3000" };
    expect(renamed({ env, ...second }, first)[0]).toMatch(/^update new /);
    expect(renamed({ env, ...other }, first)[0]).toMatch(/^start new /);
  });

  test("is another app on another port, or with another script", () => {
    expect(renamed({ env: { SVC_HTTP_PORT: "3001" } })).toEqual(["start new none app missing", SAVE]);
    expect(renamed({ env: { SVC_HTTP_PORT: "3000" }, script: "/srv/other.js" })).toEqual([
      "start new none app missing",
      SAVE,
    ]);
  });
});

test("a requested preflight that is impossible is an error; one by configuration is a note", () => {
  const input = inputOf(expectedOf([{ name: "worker" }]), []);
  const decision = decide(input, { preflighted: new Set(["worker"]) });
  const about = { environment: "dev", name: "dev", fileName: "e", path: "/e", exists: true, git: null, pm2: null };
  const context = { ...about, leftOut: [], refused: new Map(), conflicts: [], undecided: [], code: [], warnings: [] };
  const codes = (choices: Plan["choices"]): string[] =>
    createPlan(input, decision, { ...context, choices }).issues.map(({ code }) => code);
  expect(codes({ preflight: true })).toEqual(["PREFLIGHT_IMPOSSIBLE"]);
  expect(codes({})).toEqual([]);
});

test("an app that would start on the port of an undeclared process with the same script is an error", () => {
  const expected = expectedOf([{ name: "new", env: { SVC_HTTP_PORT: "3000" } }]);
  const old = runningRecord({ name: "old", httpPort: 3000 });
  expect(planFor(expected, [old]).issues).toMatchObject([
    { code: "APP_PORT_TAKEN", path: ["apps", "new"], severity: "error" },
  ]);
  expect(planFor(expected, [{ ...old, httpPort: 3001 }]).issues).toEqual([]);
  const other = expectedOf([{ name: "new", env: { PORT: "3000" } }]);
  expect(planFor(other, [old]).issues).toEqual([]);
  expect(planFor(other, [{ ...old, httpPort: null, port: 3000 }]).issues).toMatchObject([{ code: "APP_PORT_TAKEN" }]);
});

test("the port of an app that the file declares, or that the plan removes, is its own affair", () => {
  const declared = expectedOf([
    { name: "new", env: { PORT: "3000" } },
    { name: "old", env: { PORT: "3000" } },
  ]);
  const old = runningRecord({ name: "old", httpPort: null, port: 3000, startedAt: null });
  expect(planFor(declared, [old]).issues).toEqual([]);
});

test("an app with two updates is counted once", () => {
  const expected = expectedOf([{ exec_mode: "cluster", instances: 2, args: "x" }]);
  const running = simulateApply(expectedOf([{ exec_mode: "cluster", instances: 2 }]));
  const input = { ...inputOf(expected, running), failing: new Set([1]) };
  const about = { environment: "dev", name: "dev", fileName: "e", path: "/e", exists: true, git: null, pm2: null };
  const lists = { leftOut: [], conflicts: [], undecided: [], code: [], warnings: [] };
  const plan = createPlan(input, decide(input), { ...about, ...lists, choices: {}, refused: new Map() });
  expect([plan.steps.filter((step) => step.do === "update").length, plan.summary.update]).toEqual([2, 1]);
});
