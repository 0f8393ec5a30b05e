import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { withStyles, type Screen } from "../../../src/commands/terminal/screen.ts";
import { fitWidths, renderTable, type Column } from "../../../src/commands/terminal/table.ts";

type Row = readonly string[];

const nowhere = { colours: 0 } as const;
const window = (width: number) => ({ width, colours: 0 }) as const;

function plain(columns: readonly Column<Row>[], rows: readonly Row[], screen: Screen): string {
  return withStyles(renderTable(columns, rows, screen), false);
}

function columnsOf(...rest: Partial<Column<Row>>[]): Column<Row>[] {
  return rest.map((more, index) => ({ heading: `C${index}`, cell: (row: Row) => row[index] ?? "", ...more }));
}

describe("without a window", () => {
  const columns = columnsOf({ heading: "NAME", shorten: "middle" }, { heading: "WHAT IT IS", dropPriority: 1 });

  test("columns are aligned, lines end where their text ends, and nothing is cut", () => {
    const long = "x".repeat(300);
    const rows = [
      ["a", long],
      ["longer", ""],
      ["b", "short"],
    ];
    expect(plain(columns, rows, nowhere)).toBe(
      ["NAME    WHAT IT IS", `a       ${long}`, "longer", "b       short"].join("\n"),
    );
  });

  test("wide characters do not break the alignment, and numbers end in one column", () => {
    const rows = [
      ["日本語", "1"],
      ["🙂", "12345678901"],
    ];
    const text = plain(columnsOf({ heading: "NAME" }, { heading: "N", side: "right" }), rows, nowhere);
    expect(text.split("\n").map((line) => stringWidth(line))).toEqual([19, 19, 19]);
  });

  test("no content of a cell moves the cursor, breaks the line, changes the text direction or is read as a colour", () => {
    const rows = [["a\u001B[2Jb\nc\u202Ed\u009B\uFDD4e", "x"]];
    expect(renderTable(columns, rows, nowhere).split("\n")[1]).toBe("a\uFFFD[2Jb c\uFFFDd\uFFFD\uFFFDe  x");
  });
});

describe("in a window", () => {
  test("a folded column keeps its longest word; another column is left out first", () => {
    const columns = columnsOf({ shorten: "end" }, { dropPriority: 1 }, { shorten: "fold" });
    const text = plain(columns, [["a name of a target", "restapi", "TARGET_PROTOCOL_NOT_EXPOSED, valid"]], window(48));
    expect(text).toBe(
      ["C0                  C2", "a name of a target  TARGET_PROTOCOL_NOT_EXPOSED,", "                    valid"].join(
        "\n",
      ),
    );
  });

  test("a column that is never shortened stays complete while other columns can be narrowed", () => {
    const columns = columnsOf({}, { shorten: "middle" });
    const text = plain(columns, [["SVC_WEBSOCKET_SOCKETIO_ADAPTER", "http://localhost:5173"]], window(44));
    expect(text.split("\n")[1]).toBe("SVC_WEBSOCKET_SOCKETIO_ADAPTER  http:/…:5173");
  });

  test("a name is cut in the middle, a text at the end, and a list is folded between words", () => {
    const columns = columnsOf({ shorten: "middle" }, { shorten: "end" }, { shorten: "fold" });
    const rows = [
      ["prefix-of-a-long-name-and-suffix", "a text that is too long", "alpha, beta, gamma, delta, epsilon"],
    ];
    const text = plain(columns, rows, window(54));
    for (const line of text.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(54);
    expect(text).toMatch(/prefix-\S*…\S*suffix/);
    expect(text).toMatch(/a text that .{0,6}…/);
    for (const word of ["alpha,", "beta,", "gamma,", "delta,", "epsilon"]) expect(text).toContain(word);
  });

  test("columns are left out, least important first, before a name becomes unreadable", () => {
    const columns = columnsOf({ heading: "NAME", shorten: "middle" }, { dropPriority: 2 }, { dropPriority: 1 }, {});
    const rows = [["a-name-of-twenty-eight-signs", "22222", "11111", "always"]];
    const heads = [80, 40, 33, 24].map((width) => plain(columns, rows, window(width)).split("\n")[0]?.match(/\S+/g));
    expect(heads).toEqual([
      ["NAME", "C1", "C2", "C3"],
      ["NAME", "C1", "C2", "C3"],
      ["NAME", "C2", "C3"],
      ["NAME", "C3"],
    ]);
  });

  test("a table that fits the window is printed as without a window", () => {
    const columns = columnsOf({ shorten: "fold" }, { dropPriority: 1 });
    const rows = [["some words", "more"]];
    expect(plain(columns, rows, window(500))).toBe(plain(columns, rows, nowhere));
  });

  test("no line is wider than the window", () => {
    const kinds = fc.constantFrom<Partial<Column<Row>>>(
      {},
      { shorten: "end" },
      { shorten: "middle" },
      { shorten: "fold" },
      { dropPriority: 1 },
    );
    const table = fc.array(
      fc.tuple(
        kinds,
        fc.array(fc.string({ unit: fc.constantFrom("a", "-", " ", "é", "服", "🙂") }), { minLength: 3, maxLength: 3 }),
      ),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(table, fc.integer({ min: 30, max: 120 }), (made, width) => {
        const columns = columnsOf(...made.map(([kind]) => kind));
        const rows = [0, 1, 2].map((row) => made.map(([, cells]) => cells[row] ?? ""));
        const text = plain(columns, rows, window(width));
        return text.split("\n").every((line) => stringWidth(line) <= width);
      }),
    );
  });
});

test("the colour of a cell is around its text, not around its padding", () => {
  const columns = columnsOf({ colour: (_row, { red }) => red }, {});
  const text = withStyles(
    renderTable(
      columns,
      [
        ["ab", "x"],
        ["longer", "y"],
      ],
      nowhere,
    ),
    true,
  );
  expect(text.split("\n")[1]).toBe("\u001B[31mab\u001B[39m      x");
});

test("column widths never grow, never fall below their minimum, and fit the window if possible", () => {
  const column = fc.record({ naturalWidth: fc.nat(300), minWidth: fc.nat(40) });
  fc.assert(
    fc.property(fc.array(column, { minLength: 1, maxLength: 8 }), fc.nat(400), (columns, room) => {
      const fitted = fitWidths(columns, room);
      const minWidth = columns.map((each) => Math.max(1, Math.min(each.naturalWidth, each.minWidth)));
      const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0);
      const isKept = fitted.every(
        (width, at) =>
          width <= columns[at]!.naturalWidth && width >= Math.min(columns[at]!.naturalWidth, columns[at]!.minWidth),
      );
      return isKept && (sum(minWidth) > room || sum(fitted) <= room);
    }),
  );
});
