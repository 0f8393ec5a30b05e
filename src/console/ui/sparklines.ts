import type { Series, Span } from "../data/series.ts";
import { clear, paintLine, runsOf } from "./chart/line.ts";
import { inkOf, type Ink } from "./ink.ts";

/** How many values a small line has: each stands for a part of the time. */
const POINTS = 60;
const WIDTH = 84;
const HEIGHT = 24;

export interface Sparkline {
  readonly canvas: HTMLCanvasElement;
  readonly column: number;
  /** What its scale spans at least, so that noise stays small. */
  readonly least: number;
  /** Whether its scale begins at 0 instead of the least value. */
  readonly isFromZero: boolean;
  readonly series: () => Series | undefined;
}

/** Draws small lines together, and only those that are in sight. */
export interface Sparklines {
  add(line: Sparkline): () => void;
  draw(): void;
  /** The colours are others now. */
  forgetInk(): void;
  stop(): void;
}

/** @param span the time that they show */
export function createSparklines(span: () => Span): Sparklines {
  const lines = new Map<Element, Sparkline>();
  const inks = new Map<string, Ink>();
  const values = new Float32Array(POINTS);
  const visible = new Set<Element>();
  const paint = (line: Sparkline): void => {
    const ink = inks.get(line.canvas.className) ?? inkOf(line.canvas);
    inks.set(line.canvas.className, ink);
    line.series()?.spread(line.column, span(), values.fill(Number.NaN));
    drawLine(line, values, ink);
  };
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const line = lines.get(target);
      if (isIntersecting) visible.add(target);
      else visible.delete(target);
      if (isIntersecting && line) paint(line);
    }
  });
  return {
    add(line) {
      lines.set(line.canvas, line);
      observer.observe(line.canvas);
      return () => {
        lines.delete(line.canvas);
        visible.delete(line.canvas);
        observer.unobserve(line.canvas);
      };
    },
    draw() {
      for (const canvas of visible) {
        const line = lines.get(canvas);
        if (line) paint(line);
      }
    },
    forgetInk: () => inks.clear(),
    stop: () => observer.disconnect(),
  };
}

function drawLine({ canvas, least, isFromZero }: Sparkline, values: Float32Array, ink: Ink): void {
  const context = clear(canvas, WIDTH, HEIGHT);
  if (context === null) return;
  const { bottom, top } = scaleOf(values, least, isFromZero);
  const place = {
    x: (at: number) => (at / (POINTS - 1)) * WIDTH,
    y: (at: number) => HEIGHT - 2 - (((values[at] ?? bottom) - bottom) / (top - bottom)) * (HEIGHT - 5),
  };
  const runs = runsOf(POINTS, (at) => Number.isNaN(values[at]));
  paintLine(context, runs, place, { stroke: ink.strong, width: 1, fill: ink.wash, floor: HEIGHT });
}

/** A scale of its own, so that growth is seen whatever the size. What is not a number was not measured. */
export function scaleOf(
  values: Float32Array,
  least: number,
  isFromZero: boolean,
): { readonly bottom: number; readonly top: number } {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (high < low) return { bottom: 0, top: least };
  const bottom = isFromZero ? 0 : low;
  // A twentieth of the value is growth that counts; less than that stays flat.
  const extent = Math.max(high - bottom, least, isFromZero ? 0 : high / 20);
  return { bottom, top: bottom + extent };
}
