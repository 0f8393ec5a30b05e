import { paint } from "./paint.ts";
import type { Screen } from "./screen.ts";

/** A column of a table: its heading and what a row shows in it. A cell may hold several lines and colours. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
}

const GAP = "  ";
/** No column is made narrower than this to fit the window. */
const NARROWEST = 8;

/**
 * Lays rows out in columns without lines around them. In a window the widest columns are wrapped until
 * the table fits; where there is none, every row stays whole.
 */
export async function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  screen: Screen,
): Promise<string> {
  const { bold } = await paint(screen.colours);
  const head = columns.map(({ heading }) => bold(heading));
  const body = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const lines = [head, ...body];
  const widthOf = await measure(lines);
  const natural = columns.map((_, index) => Math.max(...lines.map((line) => widestLine(line[index] ?? "", widthOf))));
  const fitted =
    screen.width === undefined ? natural : fitWidths(natural, screen.width - GAP.length * (columns.length - 1));
  if (fitted.every((width, index) => width === natural[index]) && lines.every(isSingleLine))
    return alignCells(lines, natural, widthOf);
  return drawWrapped(lines, fitted);
}

/** Caps the widest columns until the table fits, or until it is as narrow as it may become. */
export function fitWidths(natural: readonly number[], available: number): number[] {
  let cap = Math.max(...natural);
  while (cap > NARROWEST && total(natural, cap) > available) cap -= 1;
  return natural.map((width) => Math.min(width, cap));
}

function total(widths: readonly number[], cap: number): number {
  return widths.reduce((sum, width) => sum + Math.min(width, cap), 0);
}

type Measure = (text: string) => number;

/** Plain ASCII is as wide as it is long; only other text needs the tables of Unicode. */
async function measure(lines: readonly (readonly string[])[]): Promise<Measure> {
  if (lines.every((line) => line.every((cell) => /^[\x20-\x7e\n]*$/.test(cell)))) return (text) => text.length;
  return (await import("string-width")).default;
}

function widestLine(cell: string, widthOf: Measure): number {
  return Math.max(...cell.split("\n").map(widthOf));
}

function isSingleLine(line: readonly string[]): boolean {
  return line.every((cell) => !cell.includes("\n"));
}

function alignCells(lines: readonly (readonly string[])[], widths: readonly number[], widthOf: Measure): string {
  const align = (cell: string, index: number): string => cell + " ".repeat((widths[index] ?? 0) - widthOf(cell));
  return lines.map((line) => line.map(align).join(GAP).trimEnd()).join("\n");
}

async function drawWrapped(lines: readonly (readonly string[])[], widths: number[]): Promise<string> {
  const [{ default: CliTable }, { default: wrap }] = await Promise.all([import("cli-table3"), import("wrap-ansi")]);
  const table = new CliTable({
    chars: { ...NO_LINES, middle: GAP },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    colWidths: widths,
  });
  for (const line of lines)
    table.push(line.map((cell, index) => wrap(cell, widths[index] ?? NARROWEST, { hard: true })));
  return table.toString().replaceAll(/ +$/gm, "");
}

const NO_LINES = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
};
