/** A refusal of a plan that is out of date names what is other than in the plan that was read. */
import { expect, test } from "vitest";
import { SvcmError } from "../../../../src/core/api/errors.ts";
import type { Plan } from "../../../../src/core/api/rollout.ts";
import { planChanges, withChanges } from "../../../../src/core/rollout/report/plan-changes.ts";
import { makePlan, makeStep } from "./plan-text.ts";

const FROM = "1d6f1f0c2ab".padEnd(40, "0");
const TO = "4a91c7704c1".padEnd(40, "0");
const key = { field: "env", state: "different", key: "PORT", declared: null, running: null } as const;
const step = makeStep({ method: "restart", why: [key] });
const save = makeStep({ do: "save", app: "" });
const held = { name: "web", pmIds: [0], state: "stopped", by: null, since: null } as const;
const issue = { code: "GIT_OWNERSHIP", severity: "warning", path: [], message: "no" } as const;

test.each<[Partial<Plan>, Partial<Plan>, string[]]>([
  [{}, {}, []],
  [{ git: { commit: FROM, dirty: [] } }, { git: { commit: TO, dirty: [] } }, ["commit: 1d6f1f0c2a to 4a91c7704c"]],
  [{ git: { commit: FROM, dirty: [] } }, { git: null }, ["commit: 1d6f1f0c2a to none"]],
  [
    { git: { commit: FROM, dirty: ["a.js", "b.js"] } },
    { git: { commit: FROM, dirty: ["b.js", "c.js"] } },
    ["now different from the commit: c.js", "no longer different from the commit: a.js"],
  ],
  [{}, { path: "/next/e.config.cjs" }, ["ecosystem file: /srv/e.config.cjs to /next/e.config.cjs"]],
  [
    { unchanged: ["web", "api"] },
    { steps: [step, save], unchanged: ["api"] },
    ["web: now restart, env: PORT changed; before as declared"],
  ],
  [
    { unchanged: ["web"] },
    { unchanged: ["web"], steps: [save] },
    ["the list of PM2: now to save; before not in the plan"],
  ],
  [
    { steps: [step] },
    { steps: [makeStep({ ...step, why: [key, { ...key, key: "HOST" }] })] },
    ["web: now env: PORT changed, HOST changed; before env: PORT changed"],
  ],
  [
    { unchanged: ["web"] },
    { held: [held] },
    [
      "web: now web (id 0) is stopped by a command to PM2, so no step starts it; to start it: svcm apply --app web; before as declared",
    ],
  ],
  [
    { unchanged: ["web"] },
    { unknown: [{ app: "web", pmIds: [0], part: "code", reason: "x" }] },
    ["web: now unknown code: x; before as declared"],
  ],
  [{ undeclared: [{ name: "old", pmIds: [1], owned: true }] }, {}, ["old: now not in the plan; before not declared"]],
  [{ issues: [issue] }, {}, ["no longer GIT_OWNERSHIP: no"]],
  [{}, { issues: [issue] }, ["now GIT_OWNERSHIP: no"]],
])("from %j to %j", (before, now, expected) => {
  expect(planChanges(makePlan(before), makePlan(now))).toEqual(expected);
});

test("the refusal keeps its kind and the present plan, and other errors are as they were", () => {
  const plan = makePlan({ id: "b", unchanged: ["web"] });
  const error = new SvcmError("PLAN_STALE", { plan, details: "all reasons", hint: "Read" });
  expect(withChanges(error, makePlan({ id: "a" }))).toMatchObject({
    kind: "PLAN_STALE",
    body: {
      plan: { id: "b" },
      hint: "Read",
      details: "The plan a is out of date; it is b now:\n  web: now as declared; before not in the plan",
    },
  });
  expect(withChanges(error, makePlan({ id: "a", unchanged: ["web"] }))).toMatchObject({
    body: {
      details: expect.stringContaining("The plan a is out of date. It shows the same as the plan now, b, so what"),
    },
  });
  expect(withChanges(error, undefined)).toBe(error);
  const other = new SvcmError("APPLY_REFUSED", { plan, details: "no" });
  expect(withChanges(other, makePlan())).toBe(other);
});
