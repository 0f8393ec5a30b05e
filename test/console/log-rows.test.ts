/** The rows of lines, the bars of errors, and the marks of hits. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { LogLine } from "../../src/client/index.ts";
import { appsWithoutTimes, countErrors, foldStacks, keyOf, splitHits } from "../../src/console/tabs/logs/log-rows.ts";

let offset = 0;
const line = (text: string, more: Partial<LogLine> = {}): LogLine => ({
  at: null,
  app: "api",
  pmId: 0,
  stream: "out",
  level: null,
  text,
  file: "api-out.log",
  offset: (offset += 1),
  ...more,
});

describe("a stack", () => {
  const stack = ["Error: no", "    at f (a.js:1)", "    at g (a.js:2)", "after"].map((text) => line(text));

  test("is folded under its error with its number of lines, and shown on request", () => {
    const rows = foldStacks(stack, new Set());
    expect(rows.map((row) => [row.line.text, row.stack])).toEqual([
      ["Error: no", 2],
      ["after", 0],
    ]);
    const open = foldStacks(stack, new Set([keyOf(rows[0]!.line)]));
    expect(open.map((row) => row.line.text)).toEqual(stack.map(({ text }) => text));
  });

  test("belongs to an error of the same app, and the first line of all is never hidden", () => {
    const other = line("    at h (b.js:1)", { app: "web" });
    expect(foldStacks([...stack.slice(0, 1), other], new Set())).toHaveLength(2);
    expect(foldStacks(stack.slice(1, 2), new Set())).toHaveLength(1);
  });
});

test("a long log is looked through at each of its frames, so no time but those of errors and of both ends is parsed", () => {
  const lines = Array.from({ length: 50_000 }, (_, second) =>
    line("one", { at: new Date(second * 1000).toISOString(), ...(second % 1000 === 500 && { level: "error" }) }),
  );
  const parse = vi.spyOn(Date, "parse");
  onTestFinished(() => parse.mockRestore());
  expect(countErrors(lines).reduce((sum, { errors }) => sum + errors, 0)).toBe(50);
  expect([appsWithoutTimes(lines), foldStacks(lines, new Set()).length]).toEqual([[], lines.length]);
  expect(parse).toHaveBeenCalledTimes(52);
});

describe("the errors over the time of the lines", () => {
  const at = (second: number): string => new Date(second * 1000).toISOString();

  test("count each error once, also those at both ends, and nothing else", () => {
    const lines = [
      line("one", { at: at(0), level: "error" }),
      line("two", { at: at(10), level: "info", stream: "err" }),
      line("three", { at: at(40), stream: "err" }),
      line("untimed", { level: "fatal" }),
    ];
    const bins = countErrors(lines);
    expect(bins.reduce((sum, { errors }) => sum + errors, 0)).toBe(2);
    expect([bins[0]?.errors, bins.at(-1)?.errors, bins[0]?.at]).toEqual([1, 1, at(0)]);
  });

  test.each([[[]], [[line("untimed", { level: "error" })]], [[line("one", { at: at(1), level: "error" })]]])(
    "need two times",
    (lines) => {
      expect(countErrors(lines)).toEqual([]);
    },
  );
});

test.each([
  ["a Hit and a hit", "hit", ["a ", "Hit", " and a ", "hit", ""]],
  ["nothing", "hit", ["nothing"]],
  ["nothing", "", ["nothing"]],
])("%s, searched for %s", (text, search, parts) => {
  expect(splitHits(text, search)).toEqual(parts);
  expect(parts.join("")).toBe(text);
});
