import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { fitWidths, renderTable, type Column } from "../../../src/commands/terminal/table.ts";

type Row = readonly string[];

const columns: Column<Row>[] = ["NAME", "WHAT IT IS"].map((heading, index) => ({
  heading,
  cell: (row) => row[index] ?? "",
}));
const plain = { colours: 0 } as const;
const window = (width: number) => ({ width, colours: 0 }) as const;

describe("without a window", () => {
  test("columns are aligned, lines end where their text ends, and nothing is cut", async () => {
    const long = "x".repeat(300);
    expect(
      await renderTable(
        columns,
        [
          ["a", long],
          ["longer", ""],
          ["b", "short"],
        ],
        plain,
      ),
    ).toBe(["NAME    WHAT IT IS", `a       ${long}`, "longer", "b       short"].join("\n"));
  });

  test("wide characters and colours do not break the alignment", async () => {
    const text = await renderTable(
      columns,
      [
        ["日本語", "one"],
        ["\u001B[31mred\u001B[39m", "two"],
        ["🙂", "three"],
      ],
      plain,
    );
    const starts = stripVTControlCharacters(text)
      .split("\n")
      .map((line) => stringWidth(line.slice(0, line.search(/WHAT|one|two|three/))));
    expect(starts).toEqual([8, 8, 8, 8]);
  });

  test("a cell of several lines stays in its column", async () => {
    expect(
      await renderTable(
        columns,
        [
          ["a", "one\ntwo"],
          ["b", "three"],
        ],
        plain,
      ),
    ).toBe(["NAME  WHAT IT IS", "a     one", "      two", "b     three"].join("\n"));
  });
});

describe("in a window", () => {
  const rows: Row[] = [
    ["SVC_HTTP_FRAMEWORK", "The framework that serves the REST API. An unsupported value fails at startup."],
    ["SVC_DATABASE_NAME", "https://example.org/a/word/that/has/no/place/to/be/broken/at/all"],
    ["SVC_日本語", "ワイド文字はそれぞれ二つの桁を取りますので折り返しも正しくなければなりません"],
  ];

  test.each([40, 60, 80, 200])("of %i columns no line is wider, and no letter is lost", async (width) => {
    const text = await renderTable(columns, rows, window(width));
    for (const line of text.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    const letters = (words: string): string => words.replaceAll(/\s/g, "").split("").toSorted().join("");
    expect(letters(text)).toBe(letters(["NAME", "WHAT IT IS", ...rows.flat()].join("")));
  });

  test("that is wide enough it looks as it does without one", async () => {
    expect(await renderTable(columns, rows, window(500))).toBe(await renderTable(columns, rows, plain));
  });

  test("colours are closed at the end of a line and open again on the next", async () => {
    const [on, off] = ["\u001B[31m", "\u001B[39m"];
    const text = await renderTable(columns, [["a", `${on}${"word ".repeat(20)}${off}`]], window(40));
    const lines = text.split("\n").filter((line) => line.includes("word"));
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line.indexOf(off)).toBeGreaterThan(line.indexOf(on));
  });
});

test("widths are shared out: none grows, and they fit wherever they can", () => {
  const NARROWEST = 8;
  fc.assert(
    fc.property(fc.array(fc.nat(300), { minLength: 1, maxLength: 8 }), fc.nat(400), (natural, available) => {
      const fitted = fitWidths(natural, available);
      const sum = fitted.reduce((total, width) => total + width, 0);
      const canFit = natural.reduce((total, width) => total + Math.min(width, NARROWEST), 0) <= available;
      return fitted.every((width, index) => width <= natural[index]!) && (!canFit || sum <= available);
    }),
  );
});
