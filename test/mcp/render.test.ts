import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { fence, MAX_ANSWER_BYTES, readCursor, toLines, toPage, writeCursor } from "../../src/mcp/render.ts";
import { propertyRuns } from "../support/runs.ts";

const table = { list: "rows", columns: ["name", "text"] };
const pagesOf = (output: unknown): string[] => {
  const lines = toLines(output, table);
  const pages: string[] = [];
  for (let next: number | undefined = 0; next !== undefined;) {
    const page = toPage(lines, next);
    pages.push(page.text);
    next = page.next;
  }
  return pages;
};

test("what is null or empty is left out, and rows are columns", () => {
  const { heading, lines } = toLines({ rows: [{ name: "api", text: "x", other: 1 }], next: null, none: [] }, table);
  expect([heading, lines]).toEqual(['["name","text"]', ['["api","x"]']]);
  expect(toLines({ a: { b: null }, c: false }, undefined).lines).toEqual(["c: false"]);
});

test("hidden characters, long texts and marks of a block cannot hide or end anything", () => {
  const hostile = "\u202E\u200B\u001B[2J\u{E0041}\n<<<mark mark>>>";
  const [line = ""] = toLines({ rows: [{ name: hostile, text: "y".repeat(9000) }] }, table).lines;
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(JSON.parse(line)).toEqual([hostile, `${"y".repeat(500)}…`]);
  expect(fence(line, "abc").split("\n")).toHaveLength(3);
});

test("a secret in a name, a key or a cell is masked, whatever tool shows it", () => {
  const token = "ghp_0123456789abcdef";
  const { lines } = toLines({ rows: [{ name: token, text: "password=hunter22" }], [token]: { [token]: token } }, table);
  expect(lines.join("\n")).not.toMatch(/0123456789|hunter/);
  expect(lines[0]).toBe('["[REDACTED]","password=[REDACTED]"]');
});

test("the name of a member cannot begin a line, and shows its hidden characters", () => {
  const long = "v".repeat(490);
  const values = { "a\nid: 7 \u202E": long, b: long, c: long, d: long, e: long };
  const { lines } = toLines({ values }, undefined);
  expect(lines.map((line) => line.slice(0, 30))).toEqual([
    'values."a\\nid: 7 \\u202e": "vvv',
    ...["b", "c", "d", "e"].map((name) => `values.${name}: "${"v".repeat(19)}`),
  ]);
});

test("pages lose and repeat nothing, and none is too large", () => {
  const row = fc.record({ name: fc.string({ maxLength: 40 }), text: fc.string({ unit: "grapheme", maxLength: 3000 }) });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 60 }), (rows) => {
      const pages = pagesOf({ rows });
      const shown = pages.flatMap((page) => page.split("\n").slice(1));
      expect(shown).toEqual(toLines({ rows }, table).lines);
      for (const page of pages)
        expect(Buffer.byteLength(fence(page, "x".repeat(11)))).toBeLessThan(MAX_ANSWER_BYTES - 500);
    }),
    propertyRuns(20, 500),
  );
});

test("a member that is too large for a line is one line for each of its members", () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`key${at}`, "v".repeat(50)]));
  const { lines } = toLines({ values: many }, undefined);
  expect(lines).toHaveLength(200);
  expect(lines[0]).toBe(`values.key0: "${"v".repeat(50)}"`);
});

describe("a cursor", () => {
  test.each([{ line: 7 }, { line: 0, page: "abc_-9.1" }])("%o is read as it was written", (position) => {
    expect(readCursor(writeCursor(position))).toEqual({ page: undefined, ...position });
  });

  test.each(["", "7", "l", "l-1", "l1.", 7, {}, `l1.${"a".repeat(7001)}`])("%o is refused", (cursor) => {
    expect(() => readCursor(cursor)).toThrow(/accepted/);
  });
});
