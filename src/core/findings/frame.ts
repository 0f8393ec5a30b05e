import { maskSource, REDACTED } from "../secrets/redact.ts";
import { cellsOf, widthOf, type Cell } from "./cells.ts";

export interface Frame {
  readonly source: string;
  readonly caret: string;
}

/** Longer lines are not shown: masking them would be slow, and without a mask they could expose a secret. */
const LONGEST = 2000;
const WIDEST = 120;
const NARROWEST = 20;
const AROUND = 3;
const ELLIPSIS = "…";

/** Masks credentials. The column counts from 1. */
export function frameLine(line: string, column: number, width = WIDEST): Frame | undefined {
  if (line.length > LONGEST) return undefined;
  const masked = maskSource(line);
  const offset = followMask(line, masked, Math.min(column - 1, line.length));
  const cells = cellsOf(masked);
  const pointed = cells.filter(({ end }) => end <= offset).length;
  const [from, to] = windowAround(cells, pointed, Math.max(NARROWEST, Math.min(WIDEST, width)));
  const left = from > 0 ? ELLIPSIS : "";
  const right = to < cells.length ? ELLIPSIS : "";
  return {
    source: `${left}${joinCells(cells.slice(from, to))}${right}`.trimEnd(),
    caret: `${" ".repeat(left.length + widthOf(cells.slice(from, pointed)))}^`,
  };
}

/** An offset inside a masked part maps to the start of that part. */
function followMask(line: string, masked: string, offset: number): number {
  const kept = masked.split(REDACTED);
  let [before, after] = [0, 0];
  for (const [index, part] of kept.entries()) {
    const isLast = index === kept.length - 1;
    const start = isLast ? line.length - part.length : line.indexOf(part, before);
    if (offset < start) return after - REDACTED.length;
    if (offset < start + part.length || isLast) return after + offset - start;
    before = start + part.length;
    after += part.length + REDACTED.length;
  }
  return offset;
}

function windowAround(cells: readonly Cell[], pointed: number, widest: number): readonly [from: number, to: number] {
  if (widthOf(cells) <= widest) return [0, cells.length];
  const room = widest - AROUND;
  const before = cells.slice(0, pointed).toReversed();
  const start = pointed - fitting(before, room / 2);
  const to = start + fitting(cells.slice(start), room);
  return [to - fitting(cells.slice(0, to).toReversed(), room), to];
}

function fitting(cells: readonly Cell[], room: number): number {
  let taken = 0;
  const first = cells.findIndex(({ width }) => (taken += width) > room);
  return first === -1 ? cells.length : first;
}

function joinCells(cells: readonly Cell[]): string {
  return cells.map(({ text }) => text).join("");
}
