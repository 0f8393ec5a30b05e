import { formatTime } from "../../data/format.ts";
import type { Span } from "../../data/series.ts";

/** In seconds. Every time zone differs from UTC by whole quarters of an hour, so these look round on most local clocks. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 3600, 7200, 21_600, 43_200, 86_400];
/** The least number of CSS pixels between two lines of the grid. */
const LEAST_ROOM = 34;

/**
 * The labels of the time axis.
 *
 * @param width of the axis in CSS pixels
 * @param room for a label: `23:16`, and with seconds
 */
export function timeTicks(span: Span, width: number, room: { readonly minute: number; readonly second: number }) {
  const perSecond = width / (span.to - span.from);
  const fits = (step: number): boolean => step * perSecond >= (step % 60 === 0 ? room.minute : room.second);
  const longest = TIME_STEPS.at(-1) ?? 1;
  const step = TIME_STEPS.find(fits) ?? longest * Math.ceil(room.minute / perSecond / longest);
  return multiples(step, span.from, span.to);
}

/**
 * The lines of the grid, from 0 up.
 *
 * @param height of the axis in CSS pixels
 * @param steps allowed distances, ascending; by default 1, 2, 2.5 and 5 times a power of ten
 */
export function valueTicks(top: number, height: number, steps?: readonly number[]): number[] {
  const least = (top * LEAST_ROOM) / height;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = (steps ?? [1, 2, 2.5, 5, 10].map((part) => part * power)).find((size) => size >= least);
  return step === undefined ? [0] : multiples(step, 0, top);
}

/** Seconds: over a longer span, a time of day alone is not clear. */
const DAY = 86_400;

/** `23:16`, or `11-22 23:16` over more than a day. */
export function label(seconds: number, { from, to }: Span): string {
  return to - from > DAY ? formatTime(seconds * 1000).slice(5, 16) : clock(seconds);
}

/** `23:16:05`, or `2026-11-22 23:16:05` over more than a day. */
export function moment(seconds: number, { from, to }: Span): string {
  return to - from > DAY ? formatTime(seconds * 1000) : clockWithSeconds(seconds);
}

/** `23:16`, with seconds unless the minute is whole. */
export function clock(seconds: number): string {
  return clockWithSeconds(seconds).replace(/:00$/, "");
}

/** `23:16:05`, in the time zone of the browser. */
export function clockWithSeconds(seconds: number): string {
  return formatTime(seconds * 1000).slice(11);
}

/** Empty for an infinite step, without room for a line. */
function multiples(step: number, from: number, to: number): number[] {
  if (!Number.isFinite(step)) return [];
  const [first, last] = [Math.ceil(from / step), Math.floor(to / step + 1e-9)];
  // Removes the rounding error of the multiplication.
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  );
}
