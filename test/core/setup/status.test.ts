import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/core/api/rollout.ts";
import { decideStatus, type StatusFacts } from "../../../src/core/setup/operations/status-show.ts";

const PLAN: Plan = {
  id: "1",
  environment: "production",
  fileName: "ecosystem.config.js",
  path: "/srv/shop/ecosystem.config.js",
  exists: true,
  choices: {},
  git: null,
  pm2: { home: "/srv/.pm2" },
  changed: false,
  steps: [],
  unchanged: ["api"],
  unknown: [],
  undeclared: [],
  held: [],
  leftOut: [],
  issues: [],
  summary: { register: 0, start: 0, resume: 0, update: 0, scale: 0, replace: 0, remove: 0 },
};
const ONLINE = { name: "api", pmId: 0, state: "online", problem: null } as const;
const GOOD: StatusFacts = { isSetUp: true, plans: [{ service: undefined, plan: PLAN }], processes: [ONLINE] };
const withPlan = (plan: Partial<Plan>): StatusFacts => ({
  ...GOOD,
  plans: [{ service: undefined, plan: { ...PLAN, ...plan } }],
});

test("everything compared, nothing open", () => {
  expect(decideStatus(GOOD)).toEqual({
    verdict: "as declared",
    summary: "production: PM2 runs what ecosystem.config.js declares.",
    processes: "1 process of PM2: 1 online.",
    points: [],
    next: null,
  });
});

describe("it never says that all is as declared", () => {
  const LOOP = { ...ONLINE, state: "crash loop", problem: { code: "PROCESS_CRASH_LOOP", details: "it ended 9 times" } };
  const cases: [string, StatusFacts, string, string | null][] = [
    [
      "with a step",
      withPlan({ changed: true, summary: { ...PLAN.summary, update: 2 } }),
      "attention",
      "svcm plan -e production",
    ],
    [
      "with an app that somebody stopped",
      withPlan({ held: [{ name: "worker", pmIds: [1], state: "stopped", by: "anna", since: null }] }),
      "attention",
      "svcm plan -e production",
    ],
    [
      "with an unknown part",
      withPlan({ unknown: [{ app: "api", pmIds: [0], part: "code", reason: "too many files" }] }),
      "unknown",
      null,
    ],
    [
      "with an error of the plan",
      withPlan({ issues: [{ code: "RELEASE_GONE", severity: "error", path: [], message: "the folder is gone" }] }),
      "attention",
      "svcm plan -e production",
    ],
    ["with a crash loop", { ...GOOD, processes: [LOOP] as StatusFacts["processes"] }, "attention", "svcm why api"],
    [
      "if PM2 gives no answer",
      { ...GOOD, processes: { message: "PM2 is silent", next: "svcm doctor" } },
      "unknown",
      "svcm doctor",
    ],
    [
      "if PM2 is silent for too long",
      { ...GOOD, processes: { message: "PM2 is silent", next: "svcm doctor", code: "PM2_TIMEOUT" } },
      "attention",
      "svcm doctor",
    ],
    [
      "if a service was not compared",
      { ...GOOD, plans: [...GOOD.plans, { service: "b", plan: { message: "not compared", next: "svcm plan" } }] },
      "unknown",
      "svcm plan",
    ],
    [
      "without svcm.yaml, if the default file could not be read",
      {
        ...GOOD,
        isSetUp: false,
        plans: [{ service: undefined, plan: { message: "not readable", next: "svcm plan" } }],
      },
      "unknown",
      "svcm plan",
    ],
    [
      "if a service has no ecosystem file",
      { ...GOOD, plans: [{ service: "b", plan: { ...PLAN, exists: false } }] },
      "attention",
      "svcm plan --service b -e production",
    ],
    ["if one environment has no ecosystem file", withPlan({ exists: false }), "attention", "svcm plan -e production"],
  ];
  test.each(cases)("%s", (_, facts, verdict, next) => {
    expect(decideStatus(facts)).toMatchObject({ verdict, next });
  });
});

test("attention comes before what is unknown, whatever was asked first", () => {
  const facts = { ...withPlan({ changed: true }), processes: { message: "PM2 is silent", next: "svcm doctor" } };
  expect(decideStatus(facts)).toMatchObject({
    summary: "production: 1 point needs attention.",
    next: "svcm plan -e production",
  });
});

test("what could not be checked comes before what is fine", () => {
  const plan = { message: "Cannot load ecosystem.config.js", next: "svcm plan" };
  const facts = { ...GOOD, plans: [{ service: undefined, plan }] };
  expect(decideStatus(facts)).toMatchObject({
    verdict: "unknown",
    summary: "svcm could not check everything. It found no problem in the rest.",
  });
});

test("an answer that checked nothing speaks of no rest", () => {
  const plan = { message: "another user's PM2", next: "svcm doctor" };
  const facts = { ...GOOD, plans: [{ service: undefined, plan }], processes: plan };
  expect(decideStatus(facts)).toMatchObject({ verdict: "unknown", summary: "svcm could not check what runs." });
});

test("a repository that declares nothing is idle, and PM2 need not run", () => {
  const facts = { isSetUp: false, plans: [{ service: undefined, plan: { ...PLAN, exists: false } }], processes: null };
  expect(decideStatus(facts)).toMatchObject({ verdict: "idle", processes: "No PM2 daemon runs.", next: "svcm init" });
});

test("a killed daemon comes first, with the command that brings its apps back", () => {
  const deadDaemon = { message: "PM2's daemon, pid 7, ended without a message.", next: "svcm boot restore" };
  const status = decideStatus({
    isSetUp: true,
    plans: [{ service: undefined, plan: PLAN }],
    processes: null,
    deadDaemon,
  });
  expect(status).toMatchObject({ verdict: "attention", next: "svcm boot restore" });
  expect(status.points[0]).toMatchObject(deadDaemon);
});

test.each([
  [1, "api: it hangs"],
  [2, "api (2 instances): it hangs"],
])("%i instances with one problem are one point", (count, message) => {
  const problem = { code: "PROCESS_HUNG", details: "it hangs" } as const;
  const processes = Array.from({ length: count }, (_, pmId) => ({ ...ONLINE, pmId, state: "hung", problem }) as const);
  const { points } = decideStatus({ ...GOOD, processes });
  expect(points.map((point) => point.message)).toEqual([message]);
});

test("a failure that stops several questions is said once", () => {
  const failure = { message: "The PM2 daemon belongs to another user.", next: "svcm doctor" };
  const facts = { ...GOOD, processes: failure, plans: [{ service: undefined, plan: failure }] };
  expect(decideStatus(facts).points).toEqual([{ kind: "unknown", ...failure }]);
});
