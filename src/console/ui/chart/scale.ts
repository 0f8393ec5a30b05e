import type { Span } from "../../data/series.ts";
import { formatTime } from "../../data/format.ts";

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Scale {
  readonly box: Box;
  readonly span: Span;
  /** The value at the upper edge. The lower edge is 0. */
  readonly top: number;
  x(time: number): number;
  y(value: number): number;
  timeAt(x: number): number;
}

const MARGIN = { left: 60, top: 8, right: 14, bottom: 22 };

export function boxOf(width: number, height: number): Box {
  const { left, top, right, bottom } = MARGIN;
  return { left, top, width: Math.max(width - left - right, 0), height: Math.max(height - top - bottom, 0) };
}

export function scaleOf(box: Box, span: Span, top: number): Scale {
  const { from, to } = span;
  const seconds = to - from || 1;
  return {
    box,
    span,
    top,
    x: (time) => box.left + ((time - from) / seconds) * box.width,
    y: (value) => box.top + (1 - value / top) * box.height,
    timeAt: (x) => from + (Math.min(Math.max(x - box.left, 0), box.width) / (box.width || 1)) * seconds,
  };
}

export function upperBound(columns: readonly (readonly (number | null)[])[]): number {
  let max = 0;
  for (const column of columns) for (const value of column) if (value !== null && value > max) max = value;
  return max === 0 ? 1 : max * 1.15;
}

/** In seconds. Time zones differ from UTC by whole quarters of an hour, so these are round in local time too. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 3600, 7200, 21_600, 43_200, 86_400];
/** In CSS pixels, between two grid lines. */
const MIN_GRID_SPACING = 34;

/**
 * @param width of the axis in CSS pixels
 * @param room for a label such as `23:16`, and for one with seconds
 */
export function timeTicks(span: Span, width: number, room: { readonly minute: number; readonly second: number }) {
  const perSecond = width / (span.to - span.from);
  const fits = (step: number): boolean => step * perSecond >= (step % 60 === 0 ? room.minute : room.second);
  const longest = TIME_STEPS.at(-1) ?? 1;
  const step = TIME_STEPS.find(fits) ?? longest * Math.ceil(room.minute / perSecond / longest);
  return multiples(step, span.from, span.to);
}

/**
 * @param height of the axis in CSS pixels
 * @param steps allowed distances, ascending; by default 1, 2, 2.5 and 5 times a power of ten
 */
export function valueTicks(top: number, height: number, steps?: readonly number[]): number[] {
  const min = (top * MIN_GRID_SPACING) / height;
  const power = 10 ** Math.floor(Math.log10(min));
  const step = (steps ?? [1, 2, 2.5, 5, 10].map((part) => part * power)).find((size) => size >= min);
  return step === undefined ? [0] : multiples(step, 0, top);
}

/** In seconds; over a longer span, a time of day is ambiguous. */
const DAY = 86_400;

/** `23:16`, or `11-22 23:16` over more than a day. */
export function formatTick(seconds: number, { from, to }: Span): string {
  return to - from > DAY ? formatTime(seconds * 1000).slice(5, 16) : formatClock(seconds);
}

/** `23:16:05`, or `2026-11-22 23:16:05` over more than a day. */
export function formatMoment(seconds: number, { from, to }: Span): string {
  return to - from > DAY ? formatTime(seconds * 1000) : clockWithSeconds(seconds);
}

/** `23:16`, with seconds unless they are 0. */
export function formatClock(seconds: number): string {
  return clockWithSeconds(seconds).replace(/:00$/, "");
}

/** `23:16:05`, in local time. */
export function clockWithSeconds(seconds: number): string {
  return formatTime(seconds * 1000).slice(11);
}

/** Empty for an infinite step, which means that no line fits. */
function multiples(step: number, from: number, to: number): number[] {
  if (!Number.isFinite(step)) return [];
  const [first, last] = [Math.ceil(from / step), Math.floor(to / step + 1e-9)];
  // Removes the rounding error of the multiplication.
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  );
}
