import { formatTick, type Scale, timeTicks, valueTicks } from "./scale.ts";
import { groupMarks, type Scene } from "./scene.ts";

export interface Picture extends Scene {
  readonly colors: ChartColors;
  readonly format: (value: number) => string;
  readonly steps: readonly number[] | undefined;
  readonly at: number | undefined;
  readonly drag: { readonly start: number; readonly end: number } | undefined;
}

const FONT = "11px system-ui, sans-serif";
/** In CSS pixels, between two labels of the time axis. */
const MIN_LABEL_GAP = 12;
/** In CSS pixels. */
const MARK_HEIGHT = 6;
const LABEL_GAP = 4;

/** @param context one unit of it is a CSS pixel */
export function paint(context: CanvasRenderingContext2D, picture: Picture): void {
  const { left, top, width, height } = picture.scale.box;
  if (width === 0 || height === 0) return;
  // Setting even the same font resolves it again.
  if (context.textBaseline !== "middle") Object.assign(context, { font: FONT, textBaseline: "middle" });
  paintValueAxis(context, picture);
  paintTimeAxis(context, picture);
  context.save();
  context.beginPath();
  // Room for the line width at the top and bottom.
  context.rect(left, top - 2, width, height + 3);
  context.clip();
  paintLines(context, picture);
  paintDrag(context, picture);
  context.restore();
  paintMarks(context, picture);
  paintCursor(context, picture);
}

function paintValueAxis(context: CanvasRenderingContext2D, { scale, colors, format, steps }: Picture): void {
  const { left, width, height } = scale.box;
  context.textAlign = "right";
  for (const value of valueTicks(scale.top, height, steps)) {
    const y = scale.y(value);
    context.fillStyle = colors.grid;
    context.fillRect(left, alignToPixel(y), width, 1);
    context.fillStyle = colors.muted;
    context.fillText(format(value), left - 8, y);
  }
}

function paintTimeAxis(context: CanvasRenderingContext2D, { scale, colors }: Picture): void {
  const { box, span } = scale;
  const [minute = 0, second = 0] = [formatTick(span.from - (span.from % 60), span), "00:00:00"].map(
    (text) => context.measureText(text).width,
  );
  context.textAlign = "center";
  context.fillStyle = colors.muted;
  const room = { minute: minute + MIN_LABEL_GAP, second: second + MIN_LABEL_GAP };
  const end = box.left + box.width;
  for (const time of timeTicks(span, box.width, room)) {
    const [x, text] = [scale.x(time), formatTick(time, span)];
    // A truncated label would show another time.
    if (x + context.measureText(text).width / 2 <= end) context.fillText(text, x, box.top + box.height + 12);
  }
}

function paintLines(context: CanvasRenderingContext2D, { scale, colors, times, columns, longestStep }: Picture): void {
  const floor = scale.box.top + scale.box.height;
  const isApart = (at: number): boolean => (times[at] ?? 0) - (times[at - 1] ?? 0) > longestStep;
  // The first line is drawn last, above the others.
  for (let which = columns.length - 1; which >= 0; which -= 1) {
    const column = columns[which] ?? [];
    const place = { x: (at: number) => scale.x(times[at] ?? 0), y: (at: number) => scale.y(column[at] ?? 0) };
    const runs = findSegments(times.length, (at) => typeof column[at] !== "number", isApart);
    const style =
      which === 0
        ? { stroke: colors.first, width: 1.5, fill: createFill(context, scale, colors) }
        : { stroke: colors.others, width: 1 };
    paintLine(context, runs, place, { ...style, floor });
  }
}

function createFill(context: CanvasRenderingContext2D, { box }: Scale, colors: ChartColors): CanvasGradient {
  const gradient = context.createLinearGradient(0, box.top, 0, box.top + box.height);
  gradient.addColorStop(0, colors.fill);
  gradient.addColorStop(1, colors.fillEnd);
  return gradient;
}

/** Above the plot, so that even a hundred of them hide no line. */
function paintMarks(context: CanvasRenderingContext2D, { scale, colors, marks }: Picture): void {
  const { top } = scale.box;
  context.fillStyle = colors.muted;
  for (const { from, to, count } of groupMarks({ marks, scale })) {
    context.fillRect(alignToPixel(from) - 1, top - MARK_HEIGHT, Math.max(2, to - from + 2), MARK_HEIGHT);
    if (count > 1) paintCount(context, `×${count}`, { from, to, top });
  }
}

function paintCount(
  context: CanvasRenderingContext2D,
  label: string,
  { from, to, top }: { readonly from: number; readonly to: number; readonly top: number },
): void {
  context.save();
  Object.assign(context, { textAlign: "left", font: "9px system-ui, sans-serif" });
  const { width } = context.measureText(label);
  if (width + 2 * LABEL_GAP <= to - from) {
    context.clearRect(from + LABEL_GAP, 0, width + 4, top);
    context.fillText(label, from + LABEL_GAP + 2, top / 2);
  }
  context.restore();
}

function paintDrag(context: CanvasRenderingContext2D, { scale, colors, drag }: Picture): void {
  if (drag === undefined) return;
  context.fillStyle = colors.fill;
  context.fillRect(drag.start, scale.box.top, drag.end - drag.start, scale.box.height);
}

function paintCursor(context: CanvasRenderingContext2D, { scale, colors, times, columns, at }: Picture): void {
  if (at === undefined) return;
  const x = scale.x(times[at] ?? 0);
  context.fillStyle = colors.muted;
  context.fillRect(alignToPixel(x), scale.box.top, 1, scale.box.height);
  for (const [which, column] of columns.entries()) {
    const value = column[at];
    if (typeof value !== "number") continue;
    context.fillStyle = which === 0 ? colors.first : colors.others;
    context.beginPath();
    context.arc(x, scale.y(value), 3, 0, 2 * Math.PI);
    context.fill();
  }
}

/** Rounds to a device pixel, so that lines have sharp edges. */
function alignToPixel(place: number): number {
  return Math.round(place * devicePixelRatio) / devicePixelRatio;
}

/** Samples without a gap; `to` is exclusive. */
type Segment = readonly [from: number, to: number];

export function findSegments(
  count: number,
  isGap: (at: number) => boolean,
  isApart?: (at: number) => boolean,
): Segment[] {
  const runs: Segment[] = [];
  let from = 0;
  for (let at = 0; at <= count; at += 1) {
    const isEnd = at === count || isGap(at);
    if (!isEnd && !isApart?.(at)) continue;
    if (at > from) runs.push([from, at]);
    from = isEnd ? at + 1 : at;
  }
  return runs;
}

interface LineStyle {
  readonly stroke: string;
  readonly width: number;
  readonly fill?: string | CanvasGradient;
  readonly floor: number;
}

/** A single sample becomes a short dash. */
export function paintLine(
  context: CanvasRenderingContext2D,
  runs: readonly Segment[],
  place: { readonly x: (at: number) => number; readonly y: (at: number) => number },
  { stroke, width, fill, floor }: LineStyle,
): void {
  Object.assign(context, { strokeStyle: stroke, lineWidth: width, lineJoin: "round" });
  for (const [from, to] of runs) {
    const start = place.x(from);
    const end = Math.max(place.x(to - 1), start + width);
    context.beginPath();
    for (let at = from; at < to; at += 1) context.lineTo(place.x(at), place.y(at));
    context.lineTo(end, place.y(to - 1));
    context.stroke();
    if (fill === undefined) continue;
    context.lineTo(end, floor);
    context.lineTo(start, floor);
    context.fillStyle = fill;
    context.fill();
  }
}

/** Sizes the canvas for device pixels; one unit is a CSS pixel. */
export function prepareCanvas(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const size = { width: Math.round(width * devicePixelRatio), height: Math.round(height * devicePixelRatio) };
  // Setting even the same size reallocates the canvas.
  if (canvas.width !== size.width || canvas.height !== size.height) Object.assign(canvas, size);
  const context = canvas.getContext("2d");
  context?.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context?.clearRect(0, 0, width, height);
  return context;
}

/** A canvas cannot read CSS custom properties, but its element can. */
export interface ChartColors {
  readonly first: string;
  readonly others: string;
  readonly fill: string;
  readonly fillEnd: string;
  readonly muted: string;
  readonly grid: string;
}

/** @param element styled with `color` for the line, `outline-color` for words and `border-top-color` for the grid */
export function readColors(element: Element): ChartColors {
  const { color, outlineColor, borderTopColor } = getComputedStyle(element);
  return {
    first: color,
    others: withAlpha(color, 0.45),
    fill: withAlpha(color, 0.2),
    fillEnd: withAlpha(color, 0.02),
    muted: outlineColor,
    grid: borderTopColor,
  };
}

function withAlpha(color: string, alpha: number): string {
  const [, channels] = /^rgba?\(([^/]*?)\)$/.exec(color) ?? [];
  const [red, green, blue] = (channels ?? "").split(/[\s,]+/);
  return blue === undefined ? color : `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}
