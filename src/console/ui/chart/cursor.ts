import type { Span } from "../../data/series.ts";
import type { Scale } from "./scale.ts";

/** In CSS pixels; a shorter drag is a click. */
const MIN_DRAG = 6;

/** Returns an index of `times`, which are ascending; `undefined` if no sample is in the span. */
export function nearest(times: readonly number[], span: Span, time: number): number | undefined {
  let found: number | undefined;
  for (const [at, other] of times.entries()) {
    if (other < span.from || other > span.to) continue;
    if (found !== undefined && Math.abs(other - time) > Math.abs((times[found] ?? 0) - time)) break;
    found = at;
  }
  return found;
}

/**
 * The sample that a key moves to. With nothing selected, every key except Home starts at the newest.
 *
 * @returns `undefined` for another key, or if no sample is in sight
 */
export function sampleForKey(
  key: string,
  times: readonly number[],
  span: Span,
  at: number | undefined,
): number | undefined {
  const first = nearest(times, span, span.from);
  const last = nearest(times, span, span.to);
  if (first === undefined || last === undefined) return undefined;
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: at === undefined ? last : Math.max(at - 1, first),
    ArrowRight: at === undefined ? last : Math.min(at + 1, last),
    Home: first,
    End: last,
  };
  return steps[key];
}

export function selectionOf(scale: Scale, start: number, end: number): Span | undefined {
  if (Math.abs(end - start) < MIN_DRAG) return undefined;
  return { from: scale.timeAt(Math.min(start, end)), to: scale.timeAt(Math.max(start, end)) };
}

/** The span is `times` as long and keeps the moment in place. */
export function zoomSpan({ from, to }: Span, moment: number, times: number): Span {
  return { from: moment - (moment - from) * times, to: moment + (to - moment) * times };
}
