/** The view as text in snapshot files, for each state. */
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import stringWidth from "string-width";
import { paint, printable, withStyles } from "../../../../src/commands/terminal/screen.ts";
import { changedLines } from "../../../../src/commands/terminal/watch/run-watch.ts";
import type { WatchEvent, WatchState } from "../../../../src/commands/terminal/watch/state.ts";
import { viewLines } from "../../../../src/commands/terminal/watch/view.ts";
import { awaySample, busySample, keys, seen, stateAfter } from "./samples.ts";

const FIXTURES = join(import.meta.dirname, "../../../fixtures/watch");
const busy = seen(busySample());
const sizes = {
  widest: [200, 24],
  wide: [120, 24],
  usual: [80, 24],
  narrow: [40, 20],
  short: [80, 8],
  tiny: [20, 4],
} as const;

function logged(isFirst: boolean, count: number, head: string): WatchEvent {
  const lines = Array.from({ length: count }, (_, number) => `${head}line ${number} \u001B[31m\u202E`);
  return { type: "log", lines, isFirst };
}

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
  unreachable: stateAfter({ type: "connection", connection: "connecting", reason: "connect ECONNREFUSED 127.0.0.1:1" }),
  crashing: stateAfter(busy, ...keys("j j j j")),
  stale: stateAfter(busy, { type: "connection", connection: "stale" }),
  log: stateAfter(
    busy,
    ...keys("down l"),
    logged(true, 40, "2026-01-31 08:00:00Z  api (5)  "),
    logged(false, 2, "x".repeat(300)),
  ),
};

const cases = Object.keys(states).flatMap((state) =>
  (Object.keys(sizes) as (keyof typeof sizes)[]).map((size) => [state, size] as const),
);

function plain(state: string, columns: number, rows: number): string[] {
  return viewLines(states[state]!, { columns, rows }, paint).map((line) => withStyles(line, false));
}

describe.each(cases)("%s, %s", (state, size) => {
  const [columns, rows] = sizes[size];

  test("fits the window exactly, and no name moves the cursor", async () => {
    const lines = plain(state, columns, rows);
    expect(lines).toHaveLength(rows);
    // oxlint-disable-next-line no-control-regex -- that there is none is what is tested
    expect(lines.join("")).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E]/);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  test("with colours it is the same text", async () => {
    const coloured = viewLines(states[state]!, { columns, rows }, paint).map((line) => withStyles(line, true));
    expect(coloured.map((line) => stripVTControlCharacters(line))).toEqual(plain(state, columns, rows));
    expect(coloured).not.toEqual(plain(state, columns, rows));
  });
});

test.each([
  ["table", "widest"],
  ["table", "wide"],
  ["table", "narrow"],
  ["table", "short"],
  ["selected", "usual"],
  ["away", "usual"],
  ["help", "narrow"],
  ["confirm", "narrow"],
  ["filter", "usual"],
  ["unreachable", "usual"],
  ["crashing", "usual"],
  ["log", "narrow"],
] as const)("%s, %s as it is drawn", async (state, size) => {
  const [columns, rows] = sizes[size];
  const lines = plain(state, columns, rows);
  const text = `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
  await expect(text).toMatchFileSnapshot(join(FIXTURES, `${state}-${size}.txt`));
});

test("the colours of the view", async () => {
  const lines = viewLines(states["table"]!, { columns: 80, rows: 24 }, paint);
  const text = `${withStyles(lines.join("\n"), true).replaceAll("\u001B", "ESC")}\n`;
  await expect(text).toMatchFileSnapshot(join(FIXTURES, "table-colours.txt"));
});

test("the selected row is visible in every window", async () => {
  const state = stateAfter(busy, ...keys("down down down down down down"));
  const lines = viewLines(state, { columns: 80, rows: 6 }, paint).map((line) => withStyles(line, false));
  expect(lines.filter((line) => line.startsWith(">"))).toHaveLength(1);
});

test("only lines that changed are written", () => {
  expect(changedLines(["a", "b", "c"], ["a", "B", "c"])).toBe("\u001B[2;1HB\u001B[K");
  expect(changedLines(["a"], ["a"])).toBe("");
  expect(changedLines([], ["a"])).toBe("\u001B[1;1Ha\u001B[K");
});

test("on a terminal without Unicode, each symbol is replaced by an ASCII character of the same width", () => {
  const lines = viewLines(states["table"]!, { columns: 80, rows: 24 }, paint);
  const ascii = lines.map((line) => printable(line, { colours: 0, isAscii: true }));
  expect(ascii.map((line) => stringWidth(line))).toEqual(plain("table", 80, 24).map((line) => stringWidth(line)));
  expect(ascii.join("\n").replace("服务-監視", "")).toMatch(/^[\x20-\x7e\n\uFFFD]*$/);
});
