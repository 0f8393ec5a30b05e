import { expect, test } from "vitest";
import { eventRowsText } from "../../../src/commands/terminal/event-rows.ts";
import { withStyles } from "../../../src/commands/terminal/screen.ts";
import { displayWidth } from "../../../src/commands/terminal/table.ts";
import type { EventRow } from "../../../src/core/index.ts";
import { inLocalTime } from "../../../src/core/words/time.ts";

const at = "2030-01-01T12:00:00.000Z";
const row: EventRow = {
  at,
  app: "orders-api",
  pmId: 12,
  kind: "exit",
  cause: "crash",
  certainty: "likely",
  evidence: ["PM2's log records exit code 1.", "It had run for 3 s."],
  exitCode: 1,
  count: 3,
};

function textIn(width: number, rows: readonly EventRow[] = [row]): string {
  return withStyles(eventRowsText(rows, { width, colours: 0 }), false);
}

test.each([20, 30, 40, 50, 60, 71])(
  "in a window of %i columns, each event is a paragraph without a cut word",
  (width) => {
    const text = textIn(width);
    expect(text.split("\n").filter((line) => displayWidth(line) > Math.max(width, 20))).toEqual([]);
    expect(text.split(/\s+/).join(" ")).toBe(
      `${inLocalTime(at)} orders-api (id 12) ended: probably crash, exit code 1. ×3 PM2's log records exit code 1. It had run for 3 s.`,
    );
  },
);

test("in a wide window, and without one, events are a table, with the node of each one of a fleet", () => {
  expect(textIn(72)).toMatch(/^TIME +PROCESS +EVENT +CAUSE +EVIDENCE\n/);
  expect(textIn(100, [{ ...row, node: "web-1" }])).toMatch(/^TIME +NODE +PROCESS .*\n.*web-1/);
  expect(withStyles(eventRowsText([row], { colours: 0 }), false).split("\n")).toHaveLength(2);
});
