import type { Readable, Span } from "../data/series.ts";
import { clear, paintLine, runsOf } from "./chart/paint.ts";
import { inkOf, type Ink } from "./colors.ts";

const POINTS = 60;
const WIDTH = 84;
const HEIGHT = 24;

export interface Sparkline {
  readonly canvas: HTMLCanvasElement;
  readonly column: number;
  /** The smallest range of the scale, so that noise stays small. */
  readonly least: number;
  readonly isFromZero: boolean;
  readonly series: () => Readable | undefined;
  /** Times in seconds. */
  readonly failures: () => readonly number[];
}

/** Draws only visible sparklines. */
export function createSparklines(span: () => Span) {
  const lines = new Map<Element, Sparkline>();
  const inks = new Map<string, Ink>();
  const values = new Float32Array(POINTS);
  const visible = new Set<Sparkline>();
  const paint = (line: Sparkline): void => {
    const ink = inks.get(line.canvas.className) ?? inkOf(line.canvas);
    inks.set(line.canvas.className, ink);
    line.series()?.spread(line.column, span(), values.fill(Number.NaN));
    drawLine(line, values, ink, span());
  };
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const line = lines.get(target);
      if (line === undefined) continue;
      if (isIntersecting) {
        visible.add(line);
        paint(line);
      } else visible.delete(line);
    }
  });
  return {
    /** @returns a function that removes it */
    add(line: Sparkline): () => void {
      lines.set(line.canvas, line);
      observer.observe(line.canvas);
      return () => {
        lines.delete(line.canvas);
        visible.delete(line);
        observer.unobserve(line.canvas);
      };
    },
    /** Reads the span even if nothing is visible yet, so that the drawing effect runs again. */
    draw(): void {
      span();
      for (const line of visible) paint(line);
    },
    forgetInk: (): void => inks.clear(),
  };
}

function drawLine(line: Sparkline, values: Float32Array, ink: Ink, { from, to }: Span): void {
  const { canvas, least, isFromZero, failures } = line;
  const context = clear(canvas, WIDTH, HEIGHT);
  if (context === null) return;
  const { bottom, top } = scaleOf(values, least, isFromZero);
  const place = {
    x: (at: number) => (at / (POINTS - 1)) * WIDTH,
    y: (at: number) => HEIGHT - 2 - (((values[at] ?? bottom) - bottom) / (top - bottom)) * (HEIGHT - 5),
  };
  const runs = runsOf(POINTS, (at) => Number.isNaN(values[at]));
  paintLine(context, runs, place, { stroke: ink.strong, width: 1, fill: ink.wash, floor: HEIGHT });
  context.fillStyle = ink.muted;
  for (const time of failures()) {
    if (time >= from && time <= to) context.fillRect(((time - from) / (to - from)) * WIDTH, 0, 1, HEIGHT);
  }
}

/** Each line has its own scale, so that growth is visible at any size. NaN means not measured. */
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
  // Growth below a twentieth stays flat.
  const extent = Math.max(high - bottom, least, isFromZero ? 0 : high / 20);
  return { bottom, top: bottom + extent };
}
