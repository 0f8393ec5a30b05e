import { expect, test } from "vitest";
import { difference, findFormerName, isAppStep, pmIdsOf, stepNames } from "../../../src/core/rollout/step.ts";

test("a step of an app that was renamed has both names", () => {
  const renamed = difference("app", "different", [0], { declared: "web", running: "api" });
  const why = [difference("args", "different", [0], { running: "x" }), renamed];
  expect([findFormerName({ why }), stepNames({ app: "web", why })]).toEqual(["api", ["web", "api"]]);
  for (const other of [
    difference("app", "stopped", [0], { running: "stopped" }),
    difference("env", "different", [0], { running: "x" }),
    difference("app", "different", [0], { running: 3 }),
  ])
    expect(stepNames({ app: "web", why: [other] })).toEqual(["web"]);
});

test("neither the save nor the rehearsal is the step of an app", () => {
  const kinds = ["start", "update", "remove", "save", "preflight"];
  expect(kinds.map((kind) => isAppStep({ do: kind }))).toEqual([true, true, true, false, false]);
});

test("processes are listed by number", () => {
  expect(pmIdsOf([{ pmId: 10 }, { pmId: 9 }, { pmId: 2 }] as never)).toEqual([2, 9, 10]);
});
