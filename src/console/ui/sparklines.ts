import type { Series } from "../data/series.ts";
import { clear, paintLine, runsOf } from "./chart/line.ts";
import { inkOf, type Ink } from "./ink.ts";

/** How many values a small line has. */
const POINTS = 60;
const WIDTH = 84;
const HEIGHT = 24;

export interface Sparkline {
  readonly canvas: HTMLCanvasElement;
  readonly column: number;
  /** The top of its scale, at least. */
  readonly least: number;
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

export function createSparklines(): Sparklines {
  const lines = new Map<Element, Sparkline>();
  const inks = new Map<string, Ink>();
  const values = new Float32Array(POINTS);
  const visible = new Set<Element>();
  const paint = (line: Sparkline): void => {
    const ink = inks.get(line.canvas.className) ?? inkOf(line.canvas);
    inks.set(line.canvas.className, ink);
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

function drawLine({ canvas, column, least, series }: Sparkline, values: Float32Array, ink: Ink): void {
  const context = clear(canvas, WIDTH, HEIGHT);
  if (context === null) return;
  const count = series()?.last(column, POINTS, values) ?? 0;
  let top = least;
  // A gap is NaN, which is not more than anything.
  for (const value of values.subarray(0, count)) if (value > top) top = value;
  const place = {
    x: (at: number) => ((POINTS - count + at) / (POINTS - 1)) * WIDTH,
    y: (at: number) => HEIGHT - 1 - ((values[at] ?? 0) / (top * 1.1)) * (HEIGHT - 3),
  };
  const runs = runsOf(count, (at) => Number.isNaN(values[at]));
  paintLine(context, runs, place, { stroke: ink.strong, width: 1, fill: ink.wash, floor: HEIGHT });
}
