import type { ReadableSeries, Span } from "../data/series.ts";
import { prepareCanvas, paintLine, findSegments, readColors, type ChartColors } from "./chart/paint.ts";

const POINTS = 60;
const WIDTH = 84;
const HEIGHT = 24;
const MARK_HEIGHT = 4;

export interface Sparkline {
  readonly canvas: HTMLCanvasElement;
  readonly column: number;
  /** The smallest range of the scale, so that noise stays small. */
  readonly minRange: number;
  readonly isFromZero: boolean;
  readonly series: () => ReadableSeries | undefined;
  /** Times in seconds. */
  readonly failures: () => readonly number[];
}

/** Draws only visible sparklines. */
export function createSparklines(span: () => Span) {
  const lines = new Map<Element, Sparkline>();
  const colorsByClass = new Map<string, ChartColors>();
  const values = new Float32Array(POINTS);
  const visible = new Set<Element>();
  const paint = (canvas: Element): void => {
    const line = lines.get(canvas);
    if (line === undefined) return;
    const colors = colorsByClass.get(line.canvas.className) ?? readColors(line.canvas);
    colorsByClass.set(line.canvas.className, colors);
    line.series()?.spread(line.column, span(), values.fill(Number.NaN));
    drawLine(line, values, colors, span());
  };
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) {
        visible.add(target);
        paint(target);
      } else visible.delete(target);
    }
  });
  return {
    /** @returns a function that removes it */
    add(line: Sparkline): () => void {
      const { canvas } = line;
      lines.set(canvas, line);
      observer.observe(canvas);
      // The element may have shown another row.
      if (visible.has(canvas)) paint(canvas);
      return () => void lines.delete(canvas);
    },
    /** Reads the span even if nothing is visible yet, so that the drawing effect runs again. */
    draw(): void {
      span();
      visible.forEach(paint);
    },
    resetColors: (): void => colorsByClass.clear(),
  };
}

function drawLine(line: Sparkline, values: Float32Array, colors: ChartColors, { from, to }: Span): void {
  const { canvas, minRange, isFromZero, failures } = line;
  const context = prepareCanvas(canvas, WIDTH, HEIGHT);
  if (context === null) return;
  const { bottom, top } = sparklineScale(values, minRange, isFromZero);
  const place = {
    x: (at: number) => (at / (POINTS - 1)) * WIDTH,
    y: (at: number) => HEIGHT - 2 - (((values[at] ?? bottom) - bottom) / (top - bottom)) * (HEIGHT - 5),
  };
  const runs = findSegments(POINTS, (at) => Number.isNaN(values[at]));
  paintLine(context, runs, place, { stroke: colors.first, width: 1, fill: colors.fill, floor: HEIGHT });
  context.fillStyle = colors.muted;
  for (const time of failures()) {
    if (time >= from && time <= to) context.fillRect(((time - from) / (to - from)) * WIDTH, 0, 1, MARK_HEIGHT);
  }
}

/** Each line has its own scale, so that growth is visible at any size. NaN means not measured. */
export function sparklineScale(
  values: Float32Array,
  minRange: number,
  isFromZero: boolean,
): { readonly bottom: number; readonly top: number } {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (high < low) return { bottom: 0, top: minRange };
  const bottom = isFromZero ? 0 : low;
  // Growth below a twentieth stays flat.
  const extent = Math.max(high - bottom, minRange, isFromZero ? 0 : high / 20);
  return { bottom, top: bottom + extent };
}
