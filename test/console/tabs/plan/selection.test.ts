import { describe, expect, test } from "vitest";
import type { Plan } from "../../../../src/core/api/rollout.ts";
import { listOffers, refusalsOf, requestOf, switchesOf } from "../../../../src/console/tabs/plan/selection.ts";

type Parts = Partial<Record<"steps" | "removed" | "held" | "jobs" | "unknown", readonly string[]>>;

function planOf({ steps = [], removed = [], held = [], jobs = [], unknown = [] }: Parts): Plan {
  const stepOf = (kind: string) => (app: string) => ({ do: kind, app });
  const heldAs = (state: string) => (name: string) => ({ name, state });
  return {
    steps: [...steps.map(stepOf("update")), ...removed.map(stepOf("remove")), stepOf("save")("")],
    held: [...held.map(heldAs("stopped")), ...jobs.map(heldAs("running"))],
    unknown: unknown.flatMap((app) => [
      { app, part: "code" },
      { app, part: "values" },
    ]),
  } as unknown as Plan;
}

describe("the apps of an apply", () => {
  test("each app is offered once, jobs that run and deletions are not", () => {
    const plan = planOf({
      steps: ["web", "web", "api"],
      removed: ["old"],
      held: ["api", "db"],
      jobs: ["j"],
      unknown: ["w"],
    });
    expect(listOffers(plan).map(({ app, kind }) => `${app} ${kind}`)).toEqual([
      "web step",
      "api step",
      "db held",
      "w unknown",
    ]);
  });

  test.each<[string, Parts, Record<string, boolean>, object | undefined]>([
    ["nothing selected: the whole plan", { steps: ["a", "b"], held: ["h"], unknown: ["u"] }, {}, undefined],
    ["a choice that was taken back", { steps: ["a", "b"], held: ["h"] }, { a: true, h: false }, undefined],
    ["one app less", { steps: ["a", "b"] }, { a: false }, { apps: ["b"] }],
    ["a stopped app, too", { steps: ["a"], held: ["h", "i"] }, { h: true }, { apps: ["a", "h"] }],
    ["a stopped app alone", { held: ["h"] }, { h: true }, { apps: ["h"] }],
    // Without `apps`, so deletions remain.
    ["an unknown app, too", { steps: ["a"], unknown: ["u", "v"] }, { u: true }, { restart: ["u"] }],
    ["an unknown app alone", { steps: ["a"], unknown: ["u"] }, { a: false, u: true }, { apps: ["u"], restart: ["u"] }],
    [
      "all kinds",
      { steps: ["a", "b"], held: ["h"], unknown: ["u"] },
      { b: false, h: true, u: true },
      { apps: ["a", "h", "u"], restart: ["u"] },
    ],
    ["no app", { steps: ["a"] }, { a: false }, { apps: [] }],
    ["an app that has no step any more", { steps: ["a"] }, { gone: false }, undefined],
  ])("%s", (_title, parts, selected, request) => {
    expect(requestOf(planOf(parts), new Map(Object.entries(selected)))).toEqual(request);
  });
});

test("the user can accept only another environment and another checkout", () => {
  const issueOf = (code: string, message: string) => ({ code, severity: "error", path: [], message });
  const issues = [
    issueOf("ENVIRONMENT_SWITCH", "web would move from staging to dev. To switch: svcm apply --switch-environment."),
    issueOf("CHECKOUT_SWITCH", "PM2 has web from /srv. To take over: --switch-checkout of svcm apply or svcm deploy."),
    issueOf("APP_PORT_TAKEN", "Port 3000 is taken."),
  ];
  const plan = { issues } as unknown as Plan;
  expect(switchesOf(plan)).toEqual([
    {
      choice: "switchEnvironment",
      text: "Move the running apps to this environment. web would move from staging to dev.",
    },
    { choice: "switchCheckout", text: "Take over the running apps from the other checkout. PM2 has web from /srv." },
  ]);
  expect(refusalsOf(plan).map(({ code }) => code)).toEqual(["APP_PORT_TAKEN"]);
});
