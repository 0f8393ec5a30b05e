import type { Series } from "../data/series.ts";
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
      const scale = Math.min(devicePixelRatio, 2);
      Object.assign(line.canvas, { width: WIDTH * scale, height: HEIGHT * scale });
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
  const context = canvas.getContext("2d");
  if (context === null) return;
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  const count = series()?.last(column, POINTS, values) ?? 0;
  if (count === 0) return;
  let top = least;
  // A gap is NaN, which is not more than anything.
  for (const value of values.subarray(0, count)) if (value > top) top = value;
  const x = (at: number): number => ((POINTS - count + at) / (POINTS - 1)) * width;
  const y = (value: number): number => height - 1 - (value / (top * 1.1)) * (height - 3);
  for (const [from, to] of runsOf(values, count)) {
    context.beginPath();
    for (let at = from; at < to; at += 1) context.lineTo(x(at), y(values[at] ?? 0));
    Object.assign(context, { strokeStyle: ink.strong, lineWidth: height / HEIGHT, lineJoin: "round" });
    context.stroke();
    context.lineTo(x(to - 1), height);
    context.lineTo(x(from), height);
    context.fillStyle = ink.wash;
    context.fill();
  }
}

/** Where values stand side by side, without a gap. */
function runsOf(values: Float32Array, count: number): [from: number, to: number][] {
  const runs: [number, number][] = [];
  let from = -1;
  for (let at = 0; at <= count; at += 1) {
    const isGap = at === count || Number.isNaN(values[at] ?? Number.NaN);
    if (!isGap && from === -1) from = at;
    if (isGap && from !== -1) runs.push([from, at]);
    if (isGap) from = -1;
  }
  return runs;
}
