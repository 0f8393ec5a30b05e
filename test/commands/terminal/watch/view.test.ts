/** The view as text, held in files: state in, lines out. */
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import stringWidth from "string-width";
import { paint } from "../../../../src/commands/terminal/paint.ts";
import { changedLines } from "../../../../src/commands/terminal/watch/full-screen.ts";
import type { WatchState } from "../../../../src/commands/terminal/watch/state.ts";
import { viewLines } from "../../../../src/commands/terminal/watch/view.ts";
import { awaySample, busySample, keys, seen, stateAfter } from "./samples.ts";

const FIXTURES = join(import.meta.dirname, "../../../fixtures/watch");
const busy = seen(busySample());
const sizes = { wide: [120, 24], usual: [80, 24], narrow: [40, 20], short: [80, 8], tiny: [20, 4] } as const;

const states: Record<string, WatchState> = {
  waiting: stateAfter(),
  table: stateAfter(busy, busy),
  selected: stateAfter(busy, ...keys("down down s s")),
  away: stateAfter(seen(awaySample)),
  help: stateAfter(busy, ...keys("?")),
  filter: stateAfter(busy, ...keys("/ d e v")),
  confirm: stateAfter(busy, ...keys("down X")),
  paused: stateAfter(busy, ...keys("p")),
  failed: stateAfter(busy, { type: "notice", text: "stop api: PROCESS_NOT_FOUND", isBad: true }),
  stale: stateAfter(busy, { type: "connection", connection: "stale" }),
};

const cases = Object.keys(states).flatMap((state) =>
  (Object.keys(sizes) as (keyof typeof sizes)[]).map((size) => [state, size] as const),
);

describe.each(cases)("%s, %s", (state, size) => {
  const [columns, rows] = sizes[size];

  test("fits, to the column, and nothing of a name moves the cursor", async () => {
    const lines = viewLines(states[state]!, { columns, rows }, await paint(0));
    expect(lines).toHaveLength(rows);
    // oxlint-disable-next-line no-control-regex -- that there is none is what is tested
    expect(lines.join("")).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E]/);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  test("with colours it is the same text", async () => {
    const [plain, coloured] = [await paint(0), await paint(1)].map((colours) =>
      viewLines(states[state]!, { columns, rows }, colours),
    );
    expect(coloured!.map((line) => stripVTControlCharacters(line))).toEqual(plain);
    expect(coloured).not.toEqual(plain);
  });
});

test.each([
  ["table", "wide"],
  ["table", "narrow"],
  ["table", "short"],
  ["selected", "usual"],
  ["away", "usual"],
  ["help", "narrow"],
  ["confirm", "narrow"],
  ["filter", "usual"],
] as const)("%s, %s as it is drawn", async (state, size) => {
  const [columns, rows] = sizes[size];
  const lines = viewLines(states[state]!, { columns, rows }, await paint(0));
  const text = `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
  await expect(text).toMatchFileSnapshot(join(FIXTURES, `${state}-${size}.txt`));
});

test("colours as they are drawn", async () => {
  const lines = viewLines(states["table"]!, { columns: 80, rows: 24 }, await paint(1));
  const text = `${lines.join("\n").replaceAll("\u001B", "ESC")}\n`;
  await expect(text).toMatchFileSnapshot(join(FIXTURES, "table-colours.txt"));
});

test("what is selected is in sight, however short the window", async () => {
  const state = stateAfter(busy, ...keys("down down down down down down"));
  const lines = viewLines(state, { columns: 80, rows: 6 }, await paint(0));
  expect(lines.filter((line) => line.startsWith(">"))).toHaveLength(1);
});

test("only lines that changed are written", () => {
  expect(changedLines(["a", "b", "c"], ["a", "B", "c"])).toBe("\u001B[2;1HB\u001B[K");
  expect(changedLines(["a"], ["a"])).toBe("");
  expect(changedLines([], ["a"])).toBe("\u001B[1;1Ha\u001B[K");
});
