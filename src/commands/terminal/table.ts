import { toPrintable, type Paint } from "../../core/index.ts";
import { columnsOf, fit, foldWords, type Side } from "./fit.ts";
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
  readonly spare?: number;
}

const GAP = "  ";
/** A column is dropped before a cell gets narrower than this, or a wrapped cell narrower than its longest word. */
const GOOD = 16;

/** In a narrow window, shortens cells and drops columns. Without a window, prints every row in full. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], screen: Screen): string {
  const all = columns.map((column): Laid<Row> => {
    const cells = rows.map((row) => toPrintable(column.cell(row)));
    const heading = columnsOf(column.heading);
    const natural = Math.max(heading, widest(cells));
    const word = column.shorten === "fold" ? widest(cells.flatMap((cell) => cell.split(" "))) : 0;
    const least = column.shorten ? Math.min(natural, Math.max(heading, word, GOOD)) : natural;
    return { column, cells, natural, least };
  });
  const shown = screen.width === undefined ? all.map(whole) : layOut(all, screen.width);
  const head = shown.map(({ column, width }) => paint.bold(fit(column.heading, width, column.side)));
  const lines = rows.flatMap((row, index) => drawRow(shown, row, index));
  return [trimmed(head), ...lines].join("\n");
}

interface Laid<Row> {
  readonly column: Column<Row>;
  readonly cells: readonly string[];
  readonly natural: number;
  readonly least: number;
}

interface Shown<Row> extends Laid<Row> {
  readonly width: number;
}

function whole<Row>(laid: Laid<Row>): Shown<Row> {
  return { ...laid, width: laid.natural };
}

/** Does not use spread arguments, because there may be more rows than a call accepts. */
function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, columnsOf(text)), 0);
}

function layOut<Row>(all: readonly Laid<Row>[], width: number): Shown<Row>[] {
  let kept = all;
  for (;;) {
    const room = width - GAP.length * (kept.length - 1);
    const spare = sum(fitWidths(kept, room)) <= room ? undefined : mostSpare(kept);
    if (spare === undefined) return withWidths(kept, room);
    kept = kept.filter((laid) => laid !== spare);
  }
}

function withWidths<Row>(kept: readonly Laid<Row>[], room: number): Shown<Row>[] {
  const shortened = kept.map(({ column, natural }) => ({ natural, least: column.shorten ? 1 : natural }));
  const cut = kept.map(({ natural }) => ({ natural, least: 1 }));
  const tries = [kept, shortened, cut].map((columns) => fitWidths(columns, room));
  const widths = tries.find((one) => sum(one) <= room) ?? tries.at(-1);
  return kept.map((laid, index) => ({ ...laid, width: widths?.[index] ?? laid.natural }));
}

function mostSpare<Row>(kept: readonly Laid<Row>[]): Laid<Row> | undefined {
  const spares = kept.filter(({ column }) => column.spare !== undefined);
  return spares.toSorted((a, b) => (b.column.spare ?? 0) - (a.column.spare ?? 0))[0];
}

export function fitWidths(columns: readonly { natural: number; least: number }[], room: number): number[] {
  const capped = (cap: number): number[] =>
    columns.map(({ natural, least }) => Math.max(Math.min(natural, least), Math.min(natural, cap)));
  let cap = columns.reduce((most, { natural }) => Math.max(most, natural), 0);
  while (cap > 1 && sum(capped(cap)) > room) cap -= 1;
  return capped(cap);
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}

function drawRow<Row>(shown: readonly Shown<Row>[], row: Row, index: number): string[] {
  const parts = shown.map(({ column, cells, width }) => {
    const cell = cells[index] ?? "";
    return column.shorten === "fold" ? foldWords(cell, width) : [cell];
  });
  const height = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) =>
    trimmed(
      shown.map(({ column, width }, place) => {
        const text = fit(parts[place]?.[at] ?? "", width, column.side, column.shorten === "middle" ? "middle" : "end");
        const colour = text.trim() === "" ? undefined : column.colour?.(row, paint);
        return colour === undefined ? text : colour(text.trimEnd()) + " ".repeat(text.length - text.trimEnd().length);
      }),
    ),
  );
}

function trimmed(cells: readonly string[]): string {
  return cells.join(GAP).replace(/[ ]+(?=[\uFDD0-\uFDEF]*$)/, "");
}
