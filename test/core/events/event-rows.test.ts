import { expect, test } from "vitest";
import type { SvcmEvent } from "../../../src/core/api/events.ts";
import { eventText, foldRows } from "../../../src/core/events/event-text.ts";

const end = (second: number, more: Partial<SvcmEvent> = {}): SvcmEvent => ({
  at: `2026-11-22T04:42:0${second}.000Z`,
  app: "api",
  pmId: 0,
  kind: "exit",
  cause: "crash",
  certainty: "likely",
  evidence: ["It ended with exit code 1.", `It had run for ${second} s.`],
  exitCode: 1,
  ...more,
});

test("equal ends in a row are one row, with the time of the newest", () => {
  const rows = foldRows([end(9), end(7), end(5, { exitCode: 2 }), end(3)]);
  expect(rows.map(({ at, count, exitCode }) => [at.slice(17, 19), count, exitCode])).toEqual([
    ["09", 2, 1],
    ["05", 1, 2],
    ["03", 1, 1],
  ]);
});

test.each<[Partial<SvcmEvent>, string]>([
  [{}, "api (id 0) ended: probably crash, exit code 1."],
  [{ exitCode: 0, signal: "SIGSEGV" }, "api (id 0) ended: probably crash, SIGSEGV."],
  [{ cause: "signal", exitCode: 0, signal: "SIGUSR2" }, "api (id 0) ended: probably signal, SIGUSR2."],
  [
    { kind: "daemon", app: null, cause: "daemon", evidence: ["PM2's daemon started.", "More."] },
    "PM2's daemon started.",
  ],
  [{ kind: "deploy", evidence: ["3f2a was deployed."] }, "3f2a was deployed."],
])("an event is one sentence: %j", (more, sentence) => {
  expect(eventText(end(1, more))).toBe(sentence);
});
