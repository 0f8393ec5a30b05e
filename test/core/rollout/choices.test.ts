/** The choices of a plan, and the state that the last apply left. */
import { describe, expect, test } from "vitest";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import type { ComparisonInput } from "../../../src/core/rollout/compare.ts";
import { decide, leaveOutOwn, type Decision } from "../../../src/core/rollout/decide.ts";
import { environmentSwitch } from "../../../src/core/rollout/plan.ts";
import type { ExpectedApp } from "../../../src/core/rollout/expected.ts";
import { simulateApply } from "../../../src/core/rollout/read-states.ts";
import type { DecidedStep } from "../../../src/core/rollout/step.ts";
import { computeDrift } from "../../../src/core/rollout/drift.ts";
import type { ChangeReason, Verdict, Verdicts } from "../../../src/core/running/code-evidence.ts";
import { plainState } from "../../../src/core/running/state.ts";
import { runningRecord } from "../../support/counting-ports.ts";
import { stateOf } from "../../support/process-record.ts";
import { expectedOf, type Fields } from "./loaded.ts";

function inputOf(expected: readonly ExpectedApp[], running: readonly ProcessRecord[]): ComparisonInput {
  return { expected, running, modifiedMs: () => undefined, visibleKeys: new Set(), missingFolders: new Set(), stateOf };
}

const summarise = (steps: readonly DecidedStep[]): string[] =>
  steps.map(({ do: kind, app, why }) =>
    [kind, app, ...why.map(({ field, key, state }) => `${field}${key ? ` ${key}` : ""} ${state}`)]
      .filter(Boolean)
      .join(" "),
  );

const cron = runningRecord({ name: "cron", pmId: 7, httpPort: 3000 });
const left = { environment: "dev", service: "", keys: ["GONE"], envFiles: [] };

test("an app that an apply started is removed only with prune, before an app that needs its port starts", () => {
  const expected = expectedOf([{ name: "new", script: "/srv/new.js", env: { SVC_HTTP_PORT: "3000" } }]);
  const input = inputOf(expected, [cron]);
  const owned = new Set(["cron"]);
  expect(decide(input, { owned }).undeclared).toEqual([{ name: "cron", pmIds: [7], owned: true }]);
  expect(summarise(decide(input, { owned, prune: true }).steps)).toEqual([
    "remove cron app unexpected",
    "start new app missing",
    "save",
  ]);
  expect(summarise(decide(input, { prune: true }).steps)).toEqual(["start new app missing", "save"]);
});

test("an app that an apply started is removed after the start of an app that does not need its port", () => {
  const input = inputOf(expectedOf([{ name: "new", script: "/srv/new.js" }]), [cron]);
  const { steps } = decide(input, { owned: new Set(["cron"]), prune: true });
  expect(steps.map(({ do: kind }) => kind)).toEqual(["start", "remove", "save"]);
});

describe("svcm's own processes", () => {
  const two = (): Decision => decide(inputOf(expectedOf([{ name: "svcm" }, { name: "api" }]), []), {});

  test("are left out, and the other steps stay", () => {
    const { steps, leftOut } = leaveOutOwn(two(), ["svcm"]);
    expect([steps.map(({ do: kind, app }) => `${kind} ${app}`.trim()), leftOut]).toEqual([
      ["start api", "save"],
      [{ name: "svcm", pmIds: [] }],
    ]);
  });

  test("leave no list to save if nothing else changes", () => {
    expect(leaveOutOwn(two(), ["svcm", "api"]).steps).toEqual([]);
  });
});

describe("an app with a new name", () => {
  const decided = (before: readonly Fields[], after: readonly Fields[], owned: readonly string[]): string[] =>
    summarise(decide(inputOf(expectedOf(after), simulateApply(expectedOf(before))), { owned: new Set(owned) }).steps);

  test("is renamed in place if nothing else differs, and keeps the duration of its last boot", () => {
    const app = { exec_mode: "cluster", listen_timeout: 1000 };
    const input = inputOf(expectedOf([{ ...app, name: "new" }]), simulateApply(expectedOf([{ ...app, name: "old" }])));
    const appliedApps = { old: { ...left, keys: [], bootMs: 900 } };
    const { steps, undeclared } = decide({ ...input, appliedApps }, { owned: new Set(["old"]), prune: true });
    expect(summarise(steps)).toEqual(["update new app different errorFile different outFile different", "save"]);
    expect(steps[0]).toMatchObject({ method: "reload", pmIds: [0], notes: ["LISTEN_TIMEOUT_SHORT", "NO_PROBE"] });
    expect(steps[0]?.why[0]).toMatchObject({ declared: "new", running: "old" });
    expect(undeclared).toEqual([]);
  });

  test.each<[string, readonly Fields[], readonly Fields[], readonly string[]]>([
    ["if no apply started it", [{ name: "old" }], [{ name: "new" }], []],
    ["if its script differs", [{ name: "old" }], [{ name: "new", script: "/srv/new.js" }], ["old"]],
    ["if a variable differs", [{ name: "old" }], [{ name: "new", env: { A: "1" } }], ["old"]],
    ["if the former name is still declared", [{ name: "old" }], [{ name: "old" }, { name: "new" }], ["old"]],
  ])("is started %s", (_, before, after, owned) => {
    expect(decided(before, after, owned)).toEqual(["start new app missing", "save"]);
  });

  test("is started if two new names match the former one", () => {
    const after = [{ name: "a" }, { name: "b" }];
    expect(decided([{ name: "old" }], after, ["old"])).toEqual(["start a app missing", "start b app missing", "save"]);
  });
});

test("every preflight comes before the first other step, and apps without a possible preflight are named", () => {
  const probe = { kind: "http", port: 3000, path: "/health", portKey: "SVC_HTTP_PORT" } as const;
  const [api, worker] = expectedOf([{ name: "api", args: "x" }, { name: "worker" }]);
  const input = inputOf([{ ...api!, probe }, worker!], simulateApply(expectedOf([{ name: "api" }])));
  const { steps } = decide(input, { preflighted: new Set(["api", "worker"]) });
  expect(steps.map((step) => [step.do, step.app, step.notes.includes("PREFLIGHT_IMPOSSIBLE")])).toEqual([
    ["preflight", "api", false],
    ["update", "api", false],
    ["start", "worker", true],
    ["save", "", false],
  ]);
});

test("a key that the last apply declared is removed, also from a process that a user started", () => {
  const [record] = simulateApply(expectedOf([{ env: { GONE: "1", SHELL_KEY: "1" } }])) as [ProcessRecord];
  const { PM2_HOME: _home, ...environment } = record.declaration.environment;
  const byPerson = { ...record, declaration: { ...record.declaration, environment } };
  const input = inputOf(expectedOf([{}]), [byPerson]);
  expect(summarise(decide(input).steps)).toEqual([]);
  expect(summarise(decide({ ...input, appliedApps: { api: left } }).steps)).toEqual([
    "update api env GONE stale",
    "save",
  ]);
});

test.each<[string, Fields, string[]]>([
  ["a cluster that needs less", { exec_mode: "cluster", listen_timeout: 3000 }, ["none"]],
  ["PM2's own listen_timeout", { exec_mode: "cluster" }, ["none"]],
  ["exactly 80 % of the listen_timeout", { exec_mode: "cluster", listen_timeout: 2500 }, ["none"]],
  [
    "more than 80 % of the listen_timeout",
    { exec_mode: "cluster", listen_timeout: 2400 },
    ["none", "LISTEN_TIMEOUT_SHORT"],
  ],
  ["more than it", { exec_mode: "cluster", listen_timeout: 1900 }, ["gap", "LISTEN_TIMEOUT_SHORT"]],
  [
    "more than it, with several instances",
    { exec_mode: "cluster", instances: 2, listen_timeout: 1900 },
    ["partial", "LISTEN_TIMEOUT_SHORT"],
  ],
  ["npm as the worker of a cluster", { exec_mode: "cluster", script: "/usr/bin/npm" }, ["gap"]],
  ["npx as several workers", { exec_mode: "cluster", instances: 2, script: "/usr/bin/npx" }, ["partial"]],
  ["an app in fork mode that is not waited for", { listen_timeout: 1 }, ["gap"]],
  ["an app in fork mode that is", { wait_ready: true, listen_timeout: 2000 }, ["gap", "LISTEN_TIMEOUT_SHORT"]],
])("a boot of two seconds: %s", (_, app, words) => {
  const input = inputOf(expectedOf([{ ...app, args: "x" }]), simulateApply(expectedOf([app])));
  const [step] = decide({ ...input, appliedApps: { api: { ...left, keys: [], bootMs: 2000 } } }).steps;
  expect([step!.disruption, ...step!.notes.filter((note) => note === "LISTEN_TIMEOUT_SHORT")]).toEqual(words);
});

test("a list that is not saved is the only step if there are no others", () => {
  const input = inputOf([], []);
  expect(decide(input).steps).toEqual([]);
  expect(decide(input, { isDumpStale: true }).steps).toMatchObject([{ do: "save", notes: ["DUMP_STALE"] }]);
});

const verdict = (reason: ChangeReason): Verdict => ({ verdict: "changed", reasons: [reason] });

test("an env file without a former copy is named", () => {
  const [record] = simulateApply(expectedOf([{}])) as [ProcessRecord];
  const input = { ...inputOf(expectedOf([{}]), [{ ...record, startedAt: 1 }]), modifiedMs: () => 2 };
  const envFiles = [{ path: "/srv/.env", copy: "1/env/0" }];
  const notesWith = (more: object) => decide({ ...input, appliedApps: { api: { ...left, ...more } } }).steps[0]?.notes;
  expect(notesWith({ envFiles: [] })).toContain("ENV_FILE_UNKNOWN_BEFORE");
  expect(notesWith({ envFiles, readBy: [record.pid] })).not.toContain("ENV_FILE_UNKNOWN_BEFORE");
  expect(notesWith({ envFiles, readBy: [Number(record.pid) + 1] })).toContain("ENV_FILE_UNKNOWN_BEFORE");
  expect(notesWith({ envFiles })).toContain("ENV_FILE_UNKNOWN_BEFORE");
});

describe("code and values", () => {
  const processes = simulateApply(expectedOf([{ instances: 2, exec_mode: "cluster" }]));
  const input = inputOf(expectedOf([{ instances: 2, exec_mode: "cluster" }]), processes);
  const doubt: Verdict = { verdict: "unknown", reason: "it was only touched" };

  test.each([
    ["different", false],
    ["stale", true],
    ["absent", true],
  ] as const)(
    "of changed code, only the processes that run it are updated, and %s code is restorable or not",
    (state, isGone) => {
      const code = new Map([[1, verdict({ state, details: "4a91c77 to 728e20b, 3 files" })]]);
      const { steps, unchanged } = decide({ ...input, verdicts: { code } });
      expect(steps[0]).toMatchObject({
        do: "update",
        pmIds: [1],
        why: [{ field: "code", state, key: null, details: "4a91c77 to 728e20b, 3 files" }],
      });
      expect(steps[0]?.notes.includes("CODE_NOT_RESTORABLE")).toBe(isGone);
      expect(unchanged).toEqual([]);
    },
  );

  test("an app of which a part is unknown has no step, and is not unchanged", () => {
    const verdicts = {
      code: new Map([
        [0, doubt],
        [1, doubt],
      ]),
      values: new Map([[1, doubt]]),
    };
    const { steps, unchanged, unknown } = decide({ ...input, verdicts });
    expect([steps, unchanged]).toEqual([[], []]);
    expect(unknown).toEqual([
      { app: "api", pmIds: [0, 1], part: "code", reason: "it was only touched" },
      { app: "api", pmIds: [1], part: "values", reason: "it was only touched" },
    ]);
  });

  test("a step that restarts the process anyway ends the doubt", () => {
    const code = new Map([
      [0, doubt],
      [1, verdict({ state: "different", details: "releases/1 to releases/2" })],
    ]);
    expect(decide({ ...input, verdicts: { code } }).unknown).toMatchObject([{ pmIds: [0] }]);
    expect(decide({ ...input, verdicts: { code }, visibleKeys: new Set() }, { restart: true }).unknown).toEqual([]);
    const replaced = { ...inputOf(expectedOf([{ instances: 2, exec_mode: "fork" }]), processes), verdicts: { code } };
    expect(decide(replaced)).toMatchObject({ steps: [{ do: "replace" }, {}], unknown: [] });
  });

  test("restart restarts what is unknown, or exactly the named apps", () => {
    const code = new Map([[0, doubt]]);
    const steps = (more: Parameters<typeof decide>[1], verdicts: Verdicts = {}) =>
      summarise(decide({ ...input, verdicts }, more).steps);
    expect(steps({ restart: true })).toEqual([]);
    expect(steps({ restart: true }, { code })).toEqual(["update api code requested", "save"]);
    expect(steps({ restart: ["other"] }, { code })).toEqual([]);
    expect(steps({ restart: ["api"] })).toEqual(["update api app requested", "save"]);
    expect(computeDrift({ ...input, verdicts: { code } })).toMatchObject({ drift: [], planSteps: 0 });
  });

  test("what is still starting is unknown, and no restart puts it off", () => {
    const starting = { ...input, stateOf: () => plainState("starting") };
    for (const restart of [undefined, true] as const) {
      const { steps, unchanged, unknown } = decide(starting, restart === undefined ? {} : { restart });
      expect([steps, unchanged]).toEqual([[], []]);
      expect(unknown).toMatchObject([{ part: "state", reason: "it is still starting" }]);
    }
  });
});

describe("an apply for another environment", () => {
  const appliedApps = { api: { ...left, environment: "staging" }, mail: { ...left, environment: "dev" } };
  const running = [{ name: "api" }, { name: "mail" }];
  const started = new Map([["api", "production"]]);

  test.each<[string, Parameters<typeof environmentSwitch>, string | undefined]>([
    ["an app of the last apply moves", [{ appliedApps, running }, ["api"], "dev"], "last applied for staging"],
    [
      "PM2 started it with other values since",
      [{ appliedApps, running, startedAs: started }, ["api"], "dev"],
      "it runs with the values that production declares",
    ],
    [
      "PM2 started it with those of this environment",
      [{ appliedApps, running, startedAs: new Map([["api", "dev"]]) }, ["api"], "dev"],
      undefined,
    ],
    ["it is of this environment", [{ appliedApps, running }, ["mail"], "dev"], undefined],
    ["it does not run", [{ appliedApps, running: [] }, ["api"], "dev"], undefined],
    ["no apply started it", [{ running }, ["api"], "dev"], undefined],
    ["it has no step", [{ appliedApps, running }, [], "dev"], undefined],
  ])("%s", (_what, given, why) => {
    const messages = environmentSwitch(...given).map(({ message }) => message);
    expect(messages).toEqual(why === undefined ? [] : [expect.stringContaining(why)]);
  });
});
