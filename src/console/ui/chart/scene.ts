import type { SvcmEvent } from "../../../core/api/events.ts";
import { MAX_STEP, type ReadableSeries, type SeriesPart, type Span } from "../../data/series.ts";
import { boxOf, formatMoment, upperBound, type Scale, scaleOf } from "./scale.ts";

/** `part` may exceed the span, so that lines reach the edges. */
export interface ChartData {
  readonly part: SeriesPart;
  readonly span: Span;
  /** In seconds; a longer distance is a gap. */
  readonly longestStep: number;
  readonly marks?: readonly Mark[];
}

/** Includes one step beyond each end of the span. */
export function readChartData(series: ReadableSeries | undefined, span: Span, columns: readonly number[]): ChartData {
  const { longestStep = MAX_STEP } = series ?? {};
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
  { part, span, longestStep, marks = [] }: ChartData,
  size: { width: number; height: number },
  top?: number,
): Scene {
  const [times, ...columns] = part;
  const scale = scaleOf(boxOf(size.width, size.height), span, top ?? upperBound(columns));
  return {
    times,
    columns,
    scale,
    longestStep,
    marks: marks.filter(({ time }) => time >= span.from && time <= span.to),
  };
}

export interface Reading {
  readonly time: string;
  readonly values: readonly { readonly name?: string; readonly value: string }[];
  readonly events: readonly string[];
}

/** With more lines, the reading has the first one and the range of the others. */
const MAX_NAMES = 4;

export function readingOf(
  { times, columns, scale }: Scene,
  at: number,
  names: readonly string[],
  format: (value: number) => string,
  marks: readonly Mark[] = [],
): Reading {
  const time = formatMoment(times[at] ?? 0, scale.span);
  const events = markTexts(marks, scale.span, time);
  const formatValue = (value: number | null | undefined): string => (typeof value === "number" ? format(value) : "–");
  const all = columns.map((column) => column[at]);
  if (all.length === 1) return { time, values: [{ value: formatValue(all[0]) }], events };
  const named = all.map((value, which) => ({ name: names[which] ?? "", value: formatValue(value) }));
  if (all.length <= MAX_NAMES) return { time, values: named, events };
  const others = all.slice(1).filter((value) => typeof value === "number");
  const extent = others.length === 0 ? "–" : `${format(Math.min(...others))} to ${format(Math.max(...others))}`;
  return { time, values: [...named.slice(0, 1), { name: "others", value: extent }], events };
}

export function readingText({ time, values, events }: Reading): string {
  const named = values.map(({ name, value }) => (name === undefined ? value : `${name} ${value}`));
  return [time, ...named, ...events].join(", ");
}

/** A moment in the lane of events above the lines. */
export interface Mark {
  /** In seconds. */
  readonly time: number;
  readonly isFailure: boolean;
  readonly text: string;
  readonly event: SvcmEvent;
}

/** In CSS pixels around the cursor. */
const HIT_DISTANCE = 8;
const MARK_DISTANCE = 6;

export function marksAt({ marks, scale }: Pick<Scene, "marks" | "scale">, x: number): Mark[] {
  return marks.filter(({ time }) => Math.abs(scale.x(time) - x) <= HIT_DISTANCE);
}

const MAX_TEXTS = 3;

/** Lists equal words once, with their number, and with the time unless the reading already shows it. */
function markTexts(marks: readonly Mark[], span: Span, sampled: string): string[] {
  const groups = new Map<string, Mark[]>();
  for (const mark of marks) groups.set(mark.text, [...(groups.get(mark.text) ?? []), mark]);
  const texts = [...groups].map(([text, of]) => {
    const when = formatMoment(of[0]?.time ?? 0, span);
    const times = of.length === 1 ? "" : ` ×${of.length}`;
    return when === sampled ? `${text}${times}` : `${when} ${text}${times}`;
  });
  const more = texts.length - MAX_TEXTS;
  return more > 0 ? [...texts.slice(0, MAX_TEXTS), `and ${more} more`] : texts;
}

/** Marks that are too near to each other to be drawn apart, in CSS pixels. */
export interface MarkGroup {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

export function groupMarks({ marks, scale }: Pick<Scene, "marks" | "scale">): MarkGroup[] {
  const groups: MarkGroup[] = [];
  for (const x of marks.map(({ time }) => scale.x(time)).toSorted((a, b) => a - b)) {
    const last = groups.at(-1);
    if (last !== undefined && x - last.to <= MARK_DISTANCE)
      groups[groups.length - 1] = { ...last, to: x, count: last.count + 1 };
    else groups.push({ from: x, to: x, count: 1 });
  }
  return groups;
}
