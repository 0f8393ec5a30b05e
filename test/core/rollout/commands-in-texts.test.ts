import { expect, test } from "vitest";
import { stepText, unknownText } from "../../../src/core/rollout/report/words.ts";
import { KEPT_BY_RESTART } from "../../../src/core/running/values.ts";
import { stateSentences } from "../../../src/core/events/operations/process-show.ts";

test("a printed command can be pasted, also for an app whose name has spaces", () => {
  const unknown = { app: "Code Chat", pmIds: [0], part: "code", reason: "it was only touched" } as const;
  expect(unknownText(unknown, String)).toMatch(/Next: svcm apply --restart 'Code Chat'$/);
  expect(unknownText({ ...unknown, app: "api" }, String)).toMatch(/Next: svcm apply --restart api$/);
  const kept = { ...unknown, part: "values", reason: `X is in no file; ${KEPT_BY_RESTART}, so declare it` } as const;
  expect(unknownText(kept, String)).toMatch(/Next: svcm delete 'Code Chat'$/);
  const file = `${KEPT_BY_RESTART}.js was only touched`;
  expect(unknownText({ ...unknown, reason: file }, String)).toMatch(/Next: svcm apply --restart 'Code Chat'$/);
  expect(stateSentences("Code Chat", [{ name: "missing", pmId: 0 } as never]).join(" ")).toContain(
    "svcm restart 'Code Chat' starts it",
  );
});

test("a step for an app that does not start says nothing of requests: a process that it left behind may answer them", () => {
  const why = [{ field: "app", state: "failing", key: null, declared: 1, running: 0 }];
  const step = { do: "update", app: "api", pmIds: [0], method: "restart", disruption: "down", why, notes: [] };
  expect(stepText(step as never)).toBe("restart: it is down until it starts");
});
