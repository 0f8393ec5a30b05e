/** The sentences of a plan, of a failed apply, and of a rollback. */
import { describe, expect, test } from "vitest";
import type { Plan, PlanReason, PlanStep } from "../../../../src/core/api/rollout.ts";
import type { RollbackPlan } from "../../../../src/core/api/rollout-requests.ts";
import { NOT_RUN_YET } from "../../../../src/core/running/finite-state.ts";
import {
  actionText,
  changedFilesText,
  countSteps,
  failureLines,
  heldText,
  isOfFailedTask,
  keptCodeText,
  leftOutText,
  linkText,
  partNotes,
  reasonTexts,
  returnText,
  stepText,
  subjectText,
  undeclaredText,
  unknownText,
} from "../../../../src/core/rollout/report/words.ts";
import { makePlan, makeStep } from "./plan-text.ts";

const quote = (text: string): string => `<${text}>`;
const commit = "1d6f1f0c2ab".padEnd(40, "0");

test.each<[Partial<Plan>, string]>([
  [{}, "<e.config.cjs> to PM2 of </pm2>"],
  [{ git: { commit, dirty: [] } }, "<e.config.cjs> at <1d6f1f0c2a> to PM2 of </pm2>"],
  [{ git: { commit, dirty: ["a", "b"] } }, "<e.config.cjs> at <1d6f1f0c2a>, with changes to <a>, <b> to PM2 of </pm2>"],
  [
    { from: { revision: "v1", commit }, git: { commit, dirty: ["a"] }, pm2: null },
    "<v1> (<1d6f1f0c2a>) to <e.config.cjs> at <1d6f1f0c2a>, with changes to <a>",
  ],
])("a plan says which file it compares with what: %j", (plan, expected) => {
  expect(subjectText(makePlan(plan), quote)).toBe(expected);
});

describe("the count of steps", () => {
  const none = { start: 0, resume: 0, update: 0, scale: 0, replace: 0, remove: 0, register: 0 };
  const held = { name: "web", pmIds: [0], state: "stopped", by: null, since: null } as const;
  const doubt = { app: "web", pmIds: [0], part: "code", reason: "x" } as const;
  const error = { code: "ECOSYSTEM_SCRIPT_MISSING", severity: "error", path: [], message: "" } as const;
  test.each<[Partial<Plan>, string]>([
    [{ exists: false }, "no ecosystem file, so nothing to do"],
    [{ summary: { ...none, start: 1, update: 2 }, changed: true }, "1 to start, 2 to update"],
    [{ summary: none, changed: true }, "only PM2's list to save"],
    [{ summary: none, held: [held, held] }, "no steps, and 2 held back"],
    [
      { summary: none, unknown: [doubt, { ...doubt, part: "values" }] },
      "no step, but svcm cannot tell whether 1 app runs what is declared",
    ],
    [
      { summary: none, unknown: [doubt, { ...doubt, app: "jobs" }] },
      "no step, but svcm cannot tell whether 2 apps run what is declared",
    ],
    [{ summary: none, issues: [{ ...error, severity: "warning" }, error] }, "no step, because of errors"],
    [{ summary: none, issues: [{ ...error, severity: "warning" }] }, "nothing to do"],
    [{ summary: none }, "nothing to do"],
  ])("of %j is %j", (plan, expected) => expect(countSteps(makePlan(plan))).toBe(expected));
});

describe("a step", () => {
  const failing: PlanReason = { field: "state", key: null, state: "failing", declared: 2, running: 1 };
  const failed: PlanReason = { key: null, field: "app", state: "missing", declared: null, running: "failed" };
  test.each<[Partial<PlanStep>, string]>([
    [{ do: "preflight" }, "start once on a spare port, then delete that process"],
    [{ do: "register", instances: { from: 0, to: 1 } }, "give PM2 the definition without a run"],
    [
      { do: "register", app: "a b", why: [failed] },
      "give PM2 the definition without a run, which svcm run 'a b' begins",
    ],
    [{ do: "start", instances: { from: 0, to: 2 } }, "start 2 instances"],
    [{ do: "start" }, "start"],
    [{ do: "resume", pmIds: [1, 2] }, "start again 2 instances"],
    [{ do: "update", method: "reload", pmIds: [1, 2] }, "reload 2 instances, one by one: no request is refused"],
    [{ do: "update", disruption: "gap" }, "restart: it is away until it runs again"],
    [{ do: "scale", instances: { from: 1, to: 2 } }, "scale from 1 to 2 instances: no request is refused"],
    // With increment_var, each instance has a port that no other one has.
    [{ do: "scale", instances: { from: 2, to: 1 } }, "scale from 2 to 1 instance"],
    [
      { do: "replace", disruption: "gap", instances: { from: 1, to: 3 } },
      "delete, then start 3 instances: it is away until it runs again",
    ],
    [{ do: "remove", disruption: "down" }, "delete: it does not run from then on"],
    [{ do: "save" }, "save PM2's list for the next boot"],
    [
      { do: "update", disruption: "partial", pmIds: [1, 2] },
      "restart 2 instances, one by one: each instance is away while it restarts",
    ],
    [
      { do: "update", disruption: "gap", port: { from: 8080, to: 3000 } },
      "restart: requests move from port 8080 to 3000",
    ],
    [{ do: "update", disruption: "down", why: [failing] }, "restart: it is down until it starts"],
    [
      {
        do: "update",
        method: "reload",
        disruption: "down",
        why: [{ ...failing, field: "app", state: "missing" }],
        pmIds: [1, 2],
      },
      "reload 2 instances, one by one: it is down until it starts",
    ],
    [
      { do: "update", disruption: "partial", why: [failing] },
      "restart: the other instances go on, and change only if this succeeds",
    ],
  ])("%j is %j", (step, expected) => expect(stepText(makeStep(step))).toBe(expected));

  test("alone hides a failure if it gives a failed task a new definition", () => {
    expect(isOfFailedTask({ do: "register", why: [failed] })).toBe(true);
    expect(isOfFailedTask({ do: "start", why: [failed] })).toBe(false);
    expect(isOfFailedTask({ do: "register", why: [{ ...failed, running: "stopped" }] })).toBe(false);
    expect(isOfFailedTask({ do: "register", why: [{ ...failed, field: "script" }] })).toBe(false);
    expect(actionText(makeStep({ do: "update", pmIds: [1] }))).toBe("restart");
  });
});

describe("the reason of a step", () => {
  const reason = (more: Partial<PlanReason>): PlanReason => ({
    field: "script",
    key: null,
    state: "different",
    declared: "b",
    running: "a",
    ...more,
  });
  test.each<[Partial<PlanReason>, string]>([
    [{}, "<script>: <a> to <b>"],
    [{ running: null }, "<script>: PM2's default to <b>"],
    [{ running: null, declared: null }, "<script>: changed"],
    [{ declared: null }, "<script>: <a> to PM2's default"],
    [{ state: "requested" }, "<script>: restart as requested"],
    [{ state: "requested", details: "it was only touched" }, "<script>: unknown: <it was only touched>"],
    [{ field: "code", details: "3 files" }, "<code>: <3 files>"],
    [{ field: "env", key: "A", state: "missing" }, "<env>: <A> added"],
    [{ field: "env", key: "A", state: "stale" }, "<env>: <A> removed"],
    [{ field: "env", key: "A" }, "<env>: <A> changed"],
    [{ field: "env", state: "stopped" }, "<env>: <> unchanged"],
    [
      { state: "failing", declared: 1, running: 0 },
      "<script>: does not start: PM2 keeps restarting it, has given up, or could not start it",
    ],
    [{ state: "failing", declared: 3, running: 2 }, "<script>: 1 of 3 instances does not start"],
    [{ state: "failing", declared: 3, running: 1 }, "<script>: 2 of 3 instances do not start"],
    [{ field: "app", state: "unexpected" }, "<app>: no file declares it any more"],
    [{ field: "app", state: "missing", running: null }, "<app>: PM2 does not know it"],
    [{ field: "app", state: "stopped", running: "stopped" }, "<app>: is <stopped>"],
    [{ field: "app" }, "<app>: <a> to <b>"],
    [{ state: "stale" }, "<script>: <b> was written after the process started"],
    [{ field: "cwd", state: "absent" }, "<cwd>: the process runs in <a>, which does not exist"],
  ])("%j is %j", (more, expected) => {
    expect(reasonTexts(makeStep({ why: [reason(more)] }), quote)).toEqual([expected]);
  });

  test("is one line for each field", () => {
    const why = [reason({ field: "env", key: "A" }), reason({}), reason({ field: "env", key: "B", state: "stale" })];
    expect(reasonTexts(makeStep({ why }), quote)).toEqual(["<env>: <A> changed, <B> removed", "<script>: <a> to <b>"]);
  });
});

test("a note of several apps is said once, with their names", () => {
  const steps = [
    makeStep({ app: "a", notes: ["PINNED", "NO_PROBE"] }),
    makeStep({ app: "b", notes: ["NO_PROBE"] }),
    makeStep({ app: "a", notes: ["PINNED"] }),
  ];
  const { own, shared } = partNotes(steps);
  expect(own.map(({ notes }) => notes)).toEqual([["PINNED"], [], ["PINNED"]]);
  expect(shared).toEqual([["NO_PROBE", ["a", "b"]]]);
});

test.each([
  ["code", "it was only touched", "the code changed", "svcm apply --restart 'a b'"],
  ["values", "x", "the values changed", "svcm apply --restart 'a b'"],
  ["state", "x", "it works", "svcm why 'a b'"],
  ["state", NOT_RUN_YET, "it works", "svcm run 'a b'"],
] as const)("an unknown part is named with the command that helps: %s, %s", (part, reason, what, next) => {
  const text = `<a b>: cannot tell whether ${what}: <${reason}>. Next: ${next.replace("'a b'", "<'a b'>")}`;
  expect(unknownText({ app: "a b", pmIds: [0], part, reason }, quote)).toBe(text);
});

test.each([
  [true, "only --prune deletes it"],
  [false, "no step touches it"],
])("an undeclared app that svcm started (%s): %s", (owned, what) => {
  const text = `PM2 lists <old> (id 1, 2), and this environment declares no such app; ${what}`;
  expect(undeclaredText({ name: "old", pmIds: [1, 2], owned }, quote)).toBe(text);
});

test.each<[Partial<Plan["held"][number]>, string]>([
  [{}, "is stopped by a command to PM2, so no step starts it; to start it: svcm apply --app <web>"],
  [
    { by: "ann", since: "14:02" },
    "is stopped by <ann> since 14:02, so no step starts it; to start it: svcm apply --app <web>",
  ],
  [
    { state: "running", since: "14:02" },
    "runs now since 14:02, so it keeps its definition until an apply after its run",
  ],
  [{ state: "failed" }, "is a task whose last run failed, so no step runs it again; to run it: svcm run <web>"],
  [
    { state: "failed", since: "14:02" },
    "is a task whose last run, begun 14:02, failed, so no step runs it again; to run it: svcm run <web>",
  ],
])("what is held back says why, and what would end that: %j", (more, expected) => {
  const held = { name: "web", pmIds: [0], state: "stopped", by: null, since: null, ...more } as const;
  expect(heldText(held, quote)).toBe(`<web> (id 0) ${expected}`);
});

test("an app that serves the request is left out, and the command in a terminal is named", () => {
  expect(leftOutText({ name: "svcm", pmIds: [3] }, quote)).toBe(
    "<svcm> (id 3) differs and serves this request, so no step touches it; run svcm plan in a terminal",
  );
});

test("a failure has the lines of its error log, and the holder of the port", () => {
  const port = { port: 3000, pid: 7, program: "node", app: null };
  expect(failureLines({ errorLines: [], port: undefined })).toEqual([]);
  expect(failureLines({ errorLines: ["Error: x", "  at y"], port })).toEqual([
    "It wrote: Error: x",
    "  at y",
    "Port 3000 is taken by node, pid 7.",
  ]);
  expect(changedFilesText({ commit, dirty: ["a", "b"] })).toBe("Not as in the commit 1d6f1f0c2a: a, b.");
});

test.each([
  [commit, commit.replace("1", "2"), /^The code of 1d6f1f0c2a stays, .*: check out 2d6f1f0c2a, and run svcm apply\.$/],
  [
    null,
    null,
    /^The new code stays, because a rollback leaves files as they are: check out the former revision, and run/,
  ],
])("the code of %j stays after a rollback to %j", (now, former, expected) => {
  expect(keptCodeText({ commit: now, former })).toMatch(expected);
});

test.each([
  ["b", "a", "/d/current will lead to a instead of b."],
  [null, "a", "/d/current will lead to a."],
  ["b", null, "/d/current is removed."],
])("a link from %j to %j", (from, to, expected) => expect(linkText({ path: "/d/current", from, to })).toBe(expected));

test.each<[Partial<RollbackPlan["steps"][number]>, string]>([
  [{ changed: false }, "has its former definition"],
  [{}, "returns to its former definition (id 3); it is away until it runs again."],
  [{ disruption: "none" }, "returns to its former definition (id 3)."],
  [{ instances: { from: 1, to: 0 }, disruption: "down" }, "is deleted; it does not run from then on."],
  [{ instances: { from: 1, to: 2 }, disruption: "none" }, "goes from 1 to 2 instances, with its former definition."],
  [
    { disruption: "none", pinned: true },
    "returns to its former definition (id 3). It reads a copy of its former env file until the next apply.",
  ],
  [
    { disruption: "none", pinned: true, mayDiffer: true },
    "returns to its former definition (id 3). It reads the last copy of its env file, which may differ from what it had read, until the next apply. Check the env file, which that apply reads.",
  ],
  [
    { disruption: "none", mayDiffer: true },
    "returns to its former definition (id 3). It reads its env files as they are now, and nothing shows what it had read. Check them before.",
  ],
  [{ disruption: "none", mayDiffer: true, instances: { from: 1, to: 0 } }, "is deleted."],
])("an app of a rollback with %j %s", (more, expected) => {
  const step = {
    app: "web",
    pmIds: [3],
    changed: true,
    instances: { from: 1, to: 1 },
    disruption: "gap",
    pinned: false,
    ...more,
  };
  expect(returnText(step as RollbackPlan["steps"][number])).toBe(expected);
});
