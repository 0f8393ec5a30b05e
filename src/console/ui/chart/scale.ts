import type { Span } from "../../data/series.ts";

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The places of moments and values in CSS pixels. */
export interface Scale {
  readonly box: Box;
  readonly span: Span;
  /** The value at the upper edge. The lower edge is 0. */
  readonly top: number;
  x(time: number): number;
  y(value: number): number;
  /** The moment at a pixel; outside of the box, the moment of the nearer edge. */
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
    timeAt: (x) => from + (clamp(x - box.left, 0, box.width) / (box.width || 1)) * seconds,
  };
}

export function roofOf(columns: readonly (readonly (number | null)[])[]): number {
  let most = 0;
  for (const column of columns) for (const value of column) if (value !== null && value > most) most = value;
  return most === 0 ? 1 : most * 1.15;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
