/** The plans that an apply refuses, and the choices that accept them. */
import { expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { requireApplicable } from "../../../src/core/rollout/apply/apply.ts";
import type { Issue } from "../../../src/core/api/issue.ts";
import type { Plan } from "../../../src/core/api/rollout.ts";

const DIRTY = { git: { commit: "1d6f1f0c2a", dirty: ["api.js"] } };
const issue = (code: Issue["code"], severity: "error" | "warning" = "error") => ({
  code,
  severity,
  path: [],
  message: code,
});
const IN_RELEASE = { ...DIRTY, path: "/srv/shop/releases/1/ecosystem.config.cjs" };
const ENVIRONMENT = { issues: [issue("ENVIRONMENT_SWITCH")] };
const CHECKOUT = { issues: [issue("CHECKOUT_SWITCH")] };

test.each<[string, Partial<Plan>, Parameters<typeof requireApplicable>[1], string | undefined]>([
  ["any", {}, {}, undefined],
  ["the one that the user read", {}, { plan: "7f3a-9c21" }, undefined],
  ["another one", {}, { plan: "1111-2222" }, "PLAN_STALE"],
  ["one without an id", { id: null }, { plan: "7f3a-9c21" }, "PLAN_STALE"],
  ["with changes that no commit has", DIRTY, {}, "WORKTREE_DIRTY"],
  ["of a release with changes that no commit has", IN_RELEASE, {}, "WORKTREE_DIRTY"],
  ["with accepted changes", DIRTY, { allowDirty: true }, undefined],
  ["with changes, and without a step", { ...DIRTY, changed: false }, {}, undefined],
  ["with a warning", { issues: [issue("ECOSYSTEM_VARIABLE_WITHHELD", "warning")] }, {}, undefined],
  ["with an error", { issues: [issue("APP_PORT_TAKEN")] }, {}, "APP_PORT_TAKEN"],
  ["of another environment", ENVIRONMENT, {}, "ENVIRONMENT_SWITCH"],
  ["of another environment, accepted", ENVIRONMENT, { switchEnvironment: true }, undefined],
  [
    "of another environment, and only the checkout accepted",
    ENVIRONMENT,
    { switchCheckout: true },
    "ENVIRONMENT_SWITCH",
  ],
  ["of another checkout", CHECKOUT, { switchEnvironment: true }, "CHECKOUT_SWITCH"],
  ["of another checkout, accepted", CHECKOUT, { switchCheckout: true }, undefined],
])("a plan %s", (_what, plan, choices, expected) => {
  const refusal = ((): SvcmError | undefined => {
    try {
      const own = { id: "7f3a-9c21", path: "/srv/shop/ecosystem.config.cjs", changed: true, issues: [], git: null };
      requireApplicable({ ...own, ...plan } as unknown as Plan, choices);
      return undefined;
    } catch (error) {
      if (error instanceof SvcmError) return error;
      throw error;
    }
  })();
  expect(refusal?.body.code ?? refusal?.kind).toBe(expected);
  if (plan === DIRTY && refusal)
    expect(refusal.body.hint).toBe("Commit the changes, or apply them with --allow-dirty.");
  if (plan === IN_RELEASE) expect(refusal?.body.hint).toMatch(/^Commit them in a checkout and deploy that commit, or /);
});
