import { expect, test } from "vitest";
import { stepText, unknownText, unknownTexts } from "../../../src/core/rollout/report/words.ts";
import { KEPT_BY_RESTART } from "../../../src/core/running/code-evidence.ts";
import { stateSentences } from "../../../src/core/events/operations/process-show.ts";

test("a printed command can be pasted, also for an app whose name has spaces", () => {
  const unknown = { app: "Code Chat", pmIds: [0], part: "code", reason: "it was only touched" } as const;
  expect(unknownText(unknown, String)).toMatch(/Next: svcm apply --restart 'Code Chat'$/);
  expect(unknownText({ ...unknown, app: "api" }, String)).toMatch(/Next: svcm apply --restart api$/);
  expect(stateSentences("Code Chat", [{ name: "missing", pmId: 0 } as never]).join(" ")).toContain(
    "svcm restart 'Code Chat' starts it",
  );
});

test("where no restart ends the doubt, none is proposed, and many apps with one doubt of their code are one line", () => {
  const reason = `its files could not be read within 2 s${KEPT_BY_RESTART} that, so look again`;
  const slow = { app: "a", pmIds: [0], part: "code", reason } as const;
  const values = { ...slow, part: "values", reason: `X is in no file${KEPT_BY_RESTART} it, so declare it` } as const;
  const touched = { ...slow, reason: "it was only touched" };
  const all = [slow, { ...slow, app: "b" }, values, { ...values, app: "b" }, touched, { ...touched, app: "b" }];
  expect(unknownTexts(all, String)).toEqual([
    `a, b: cannot tell whether the code changed: ${reason}.`,
    `a: cannot tell whether the values changed: ${values.reason}.`,
    `b: cannot tell whether the values changed: ${values.reason}.`,
    "a: cannot tell whether the code changed: it was only touched. Next: svcm apply --restart a",
    "b: cannot tell whether the code changed: it was only touched. Next: svcm apply --restart b",
  ]);
});

test("a step for an app that does not start says nothing of requests: a process that it left behind may answer them", () => {
  const why = [{ field: "app", state: "failing", key: null, declared: 1, running: 0 }];
  const step = { do: "update", app: "api", pmIds: [0], method: "restart", disruption: "down", why, notes: [] };
  expect(stepText(step as never)).toBe("restart: it is down until it starts");
});
