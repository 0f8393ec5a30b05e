import { LONGEST_STEP, type Readable, type SeriesPart, type Span } from "../../data/series.ts";
import { boxOf, moment, roofOf, type Scale, scaleOf } from "./scale.ts";

/** The values of a chart. `part` may reach beyond the span, so that lines reach the edges. */
export interface Shown {
  readonly part: SeriesPart;
  readonly span: Span;
  /** Samples that are more seconds apart have a gap between them. */
  readonly longestStep: number;
  readonly marks?: readonly Mark[];
}

/** The columns of a series over a span and a step beyond it. */
export function partOf(series: Readable | undefined, span: Span, columns: readonly number[]): Shown {
  const { longestStep = LONGEST_STEP } = series ?? {};
  const wide = { from: span.from - longestStep, to: span.to + longestStep };
  return { part: series?.read(wide, columns) ?? [[], ...columns.map(() => [])], span, longestStep };
}

export interface Scene {
  readonly times: readonly number[];
  readonly columns: readonly (readonly (number | null)[])[];
  readonly scale: Scale;
  readonly longestStep: number;
  readonly marks: readonly Mark[];
}

/** @param size of the canvas in CSS pixels */
export function sceneOf(
  { part, span, longestStep, marks = [] }: Shown,
  size: { width: number; height: number },
  top?: number,
): Scene {
  const [times, ...columns] = part;
  const scale = scaleOf(boxOf(size.width, size.height), span, top ?? roofOf(columns));
  return { times, columns, scale, longestStep, marks: marksIn(marks, span) };
}

export interface Reading {
  readonly time: string;
  readonly values: readonly { readonly name?: string; readonly value: string }[];
  /** Events at that moment. */
  readonly events: readonly string[];
}

/** With more lines the reading has the first one, and the extent of the others. */
const MOST_NAMES = 4;

export function readingOf(
  { times, columns, scale, marks }: Scene,
  at: number,
  names: readonly string[],
  format: (value: number) => string,
): Reading {
  const time = moment(times[at] ?? 0, scale.span);
  const events = wordsAt(marks, scale, times[at] ?? 0);
  const inWords = (value: number | null | undefined): string => (typeof value === "number" ? format(value) : "–");
  const all = columns.map((column) => column[at]);
  if (all.length === 1) return { time, values: [{ value: inWords(all[0]) }], events };
  const named = all.map((value, which) => ({ name: names[which] ?? "", value: inWords(value) }));
  if (all.length <= MOST_NAMES) return { time, values: named, events };
  const others = all.slice(1).filter((value) => typeof value === "number");
  const extent = others.length === 0 ? "–" : `${format(Math.min(...others))} to ${format(Math.max(...others))}`;
  return { time, values: [...named.slice(0, 1), { name: "others", value: extent }], events };
}

/** For a screen reader. */
export function wordsOf({ time, values, events }: Reading): string {
  const named = values.map(({ name, value }) => (name === undefined ? value : `${name} ${value}`));
  return [time, ...named, ...events].join(", ");
}

/** A moment in the lane of events above the lines. */
export interface Mark {
  /** In seconds. */
  readonly time: number;
  readonly isBad: boolean;
  readonly words: string;
}

/** CSS pixels around the cursor in which a mark is read. */
const REACH = 6;

/** The marks in sight. */
function marksIn(marks: readonly Mark[], { from, to }: { readonly from: number; readonly to: number }): Mark[] {
  return marks.filter(({ time }) => time >= from && time <= to);
}

/** The words of the marks at a moment. */
function wordsAt(marks: readonly Mark[], scale: Scale, time: number): string[] {
  const x = scale.x(time);
  return [...new Set(marks.filter((mark) => Math.abs(scale.x(mark.time) - x) <= REACH).map(({ words }) => words))];
}
