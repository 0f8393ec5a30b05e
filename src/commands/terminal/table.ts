import { toPrintable, type Paint } from "../../core/index.ts";
import { displayWidth, fit, foldWords, type Side } from "./fit.ts";
import { paint } from "./paint.ts";
import type { Screen } from "./screen.ts";

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
  const head = sized.map(({ column, width }) => paint.bold(fit(column.heading, width, column.side)));
  const lines = rows.flatMap((row, index) => drawRow(sized, row, index));
  return [trimmed(head), ...lines].join("\n");
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

function drawRow<Row>(columns: readonly SizedColumn<Row>[], row: Row, index: number): string[] {
  const parts = columns.map(({ column, cells, width }) => {
    const cell = cells[index] ?? "";
    return column.shorten === "fold" ? foldWords(cell, width) : [cell];
  });
  const height = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    trimmed(
      columns.map(({ column, width }, place) => {
        const text = fit(
          parts[place]?.[line] ?? "",
          width,
          column.side,
          column.shorten === "middle" ? "middle" : "end",
        );
        const colour = text.trim() === "" ? undefined : column.colour?.(row, paint);
        return colour === undefined ? text : colour(text.trimEnd()) + " ".repeat(text.length - text.trimEnd().length);
      }),
    ),
  );
}

function trimmed(cells: readonly string[]): string {
  return cells.join(GAP).replace(/[ ]+(?=[\uFDD0-\uFDEF]*$)/, "");
}
