import CliTable from "cli-table3";
import { toPrintable, type Paint, splitCells, cellsWidth } from "../../core/index.ts";
import { paint, withMarks, withStyles, type Screen, withVerdict, type Verdict } from "./screen.ts";

export interface Column<Row> {
  readonly heading: string;
  /** Returns unescaped text; the table escapes it. */
  readonly cell: (row: Row) => string;
  readonly side?: Side;
  readonly colour?: (row: Row, paint: Paint) => ((text: string) => string) | undefined;
  readonly shorten?: "end" | "middle" | "fold";
  /** In a narrow window, the column with the highest number is dropped first. */
  readonly dropPriority?: number;
}

const GAP = "  ";
/** A column is dropped before a cell gets narrower than this, or a wrapped cell narrower than its longest word. */
const PREFERRED_MIN_WIDTH = 16;

/** In a narrow window, shortens cells and drops columns. Without a window, prints every row in full. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], screen: Screen): string {
  const measured = columns.map((column): MeasuredColumn<Row> => {
    const cells = rows.map((row) => toPrintable(column.cell(row)));
    const heading = displayWidth(column.heading);
    const naturalWidth = Math.max(heading, widest(cells));
    const word = column.shorten === "fold" ? widest(cells.flatMap((cell) => cell.split(" "))) : 0;
    const minWidth = column.shorten
      ? Math.min(naturalWidth, Math.max(heading, word, PREFERRED_MIN_WIDTH))
      : naturalWidth;
    return { column, cells, naturalWidth, minWidth };
  });
  const sized = screen.width === undefined ? measured.map(atNaturalWidth) : fitColumns(measured, screen.width);
  return draw(sized, rows);
}

interface MeasuredColumn<Row> {
  readonly column: Column<Row>;
  readonly cells: readonly string[];
  readonly naturalWidth: number;
  readonly minWidth: number;
}

interface SizedColumn<Row> extends MeasuredColumn<Row> {
  readonly width: number;
}

function atNaturalWidth<Row>(column: MeasuredColumn<Row>): SizedColumn<Row> {
  return { ...column, width: column.naturalWidth };
}

/** Does not use spread arguments, because there may be more rows than a call accepts. */
function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);
}

function fitColumns<Row>(all: readonly MeasuredColumn<Row>[], width: number): SizedColumn<Row>[] {
  let remaining = all;
  for (;;) {
    const room = width - GAP.length * (remaining.length - 1);
    const dispensable = sum(fitWidths(remaining, room)) <= room ? undefined : findDispensable(remaining);
    if (dispensable === undefined) return withWidths(remaining, room);
    remaining = remaining.filter((column) => column !== dispensable);
  }
}

function withWidths<Row>(columns: readonly MeasuredColumn<Row>[], room: number): SizedColumn<Row>[] {
  const shortened = columns.map(({ column, naturalWidth }) => ({
    naturalWidth,
    minWidth: column.shorten ? 1 : naturalWidth,
  }));
  const truncated = columns.map(({ naturalWidth }) => ({ naturalWidth, minWidth: 1 }));
  const attempts = [columns, shortened, truncated].map((candidates) => fitWidths(candidates, room));
  const widths = attempts.find((one) => sum(one) <= room) ?? attempts.at(-1);
  return columns.map((column, index) => ({ ...column, width: widths?.[index] ?? column.naturalWidth }));
}

function findDispensable<Row>(columns: readonly MeasuredColumn<Row>[]): MeasuredColumn<Row> | undefined {
  const dispensable = columns.filter(({ column }) => column.dropPriority !== undefined);
  return dispensable.toSorted((a, b) => (b.column.dropPriority ?? 0) - (a.column.dropPriority ?? 0))[0];
}

export function fitWidths(columns: readonly { naturalWidth: number; minWidth: number }[], room: number): number[] {
  const capped = (cap: number): number[] =>
    columns.map(({ naturalWidth, minWidth }) =>
      Math.max(Math.min(naturalWidth, minWidth), Math.min(naturalWidth, cap)),
    );
  let cap = columns.reduce((most, { naturalWidth }) => Math.max(most, naturalWidth), 0);
  while (cap > 1 && sum(capped(cap)) > room) cap -= 1;
  return capped(cap);
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}

/** The time of the library grows with the square of the lines, so it draws a few at a time. */
const LINES_AT_ONCE = 50;

function draw<Row>(columns: readonly SizedColumn<Row>[], rows: readonly Row[]): string {
  const head = columns.map(({ column }) => withStyles(paint.bold(column.heading), true));
  const lines = [head, ...rows.map((row, index) => columns.map((column) => drawnCell(column, row, index)))];
  const parts: string[] = [];
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
    const part = new CliTable({ chars: NO_LINES, style: NO_STYLE, ...sizes(columns) });
    part.push(...lines.slice(from, from + LINES_AT_ONCE));
    parts.push(part.toString());
  }
  return withMarks(parts.join("\n")).replaceAll(/ +(?=[\uFDD0-\uFDEF]*$)/gm, "");
}

const NO_STYLE = { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true };
const EDGES = ["top", "mid", "bottom", "left", "right"] as const;
const JOINTS = ["top-mid", "left-mid", "mid-mid", "right-mid", "bottom-mid"] as const;
const CORNERS = ["top-left", "top-right", "bottom-left", "bottom-right"] as const;
const NO_LINES = {
  ...Object.fromEntries([...EDGES, ...JOINTS, ...CORNERS].map((name) => [name, ""])),
  middle: GAP,
};

function sizes<Row>(columns: readonly SizedColumn<Row>[]) {
  return {
    colWidths: columns.map(({ width }) => width),
    colAligns: columns.map(({ column }) => column.side ?? "left"),
  };
}

/** With escape codes, because the library counts our marks as text. */
function drawnCell<Row>({ column, cells, width }: SizedColumn<Row>, row: Row, index: number): CliTable.Cell {
  const wordWrap = column.shorten === "fold";
  const text = cells[index] ?? "";
  const content = wordWrap ? text : fit(text, width, "left", column.shorten === "middle" ? "middle" : "end").trimEnd();
  const colour = content.trim() === "" ? undefined : column.colour?.(row, paint);
  return { content: colour === undefined ? content : withStyles(colour(content), true), wordWrap };
}

/**
 * Prints nothing but JSON with `--json`.
 * @param verdict of rows that are not empty
 */
export function printTable<Row>(
  command: { print: (render: (screen: Screen) => string) => void },
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  emptyText?: string,
  verdict?: Verdict,
): void {
  command.print((screen) => {
    if (rows.length === 0 && emptyText) return emptyText;
    const table = renderTable(columns, rows, screen);
    return verdict === undefined ? table : withVerdict(verdict, table);
  });
}

export type Side = "left" | "right";

/** For ASCII, the width is the length. Only other text needs Unicode tables. */
export function displayWidth(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : cellsWidth(splitCells(text));
}

export function fit(text: string, width: number, side: Side = "left", cut: "end" | "middle" = "end"): string {
  const cells = splitCells(text);
  const columns = cellsWidth(cells);
  const plainText = cells.map((cell) => cell.text).join("");
  if (columns <= width) {
    const space = " ".repeat(width - columns);
    return side === "left" ? plainText + space : space + plainText;
  }
  if (width < 1) return "";
  const tail = cut === "end" ? 0 : Math.floor((width - 1) / 2);
  const [head, end] = [takeCells(cells, width - 1 - tail), takeCells(cells.toReversed(), tail)];
  const shortened = `${head.text.join("")}…${end.text.toReversed().join("")}`;
  return shortened + " ".repeat(Math.max(0, width - 1 - head.columns - end.columns));
}

function takeCells(cells: readonly { text: string; width: number }[], width: number) {
  const text: string[] = [];
  let columns = 0;
  for (const cell of cells) {
    if (columns + cell.width > width) break;
    text.push(cell.text);
    columns += cell.width;
  }
  return { text, columns };
}

const MIN_FOLD_WIDTH = 20;

export function fold(text: string, { width }: Screen): string {
  if (width === undefined) return text;
  const foldLine = (line: string): string => {
    const indent = /^ */.exec(line)?.[0] ?? "";
    return foldWords(line.slice(indent.length), Math.max(width - indent.length, MIN_FOLD_WIDTH))
      .map((part) => indent + part)
      .join("\n");
  };
  return text.split("\n").map(foldLine).join("\n");
}

/** Never breaks a word: a word that is too long gets its own line. */
export function foldWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(" ")) {
    const extended: string = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && displayWidth(withStyles(extended, false)) > width) {
      lines.push(line);
      line = word;
    } else line = extended;
  }
  return [...lines, line ?? ""];
}
