/** Samples without a gap between them: the first one, and the one behind the last. */
export type Run = readonly [from: number, to: number];

export function runsOf(count: number, isGap: (at: number) => boolean, isApart?: (at: number) => boolean): Run[] {
  const runs: Run[] = [];
  let from = 0;
  for (let at = 0; at <= count; at += 1) {
    const isEnd = at === count || isGap(at);
    if (!isEnd && !isApart?.(at)) continue;
    if (at > from) runs.push([from, at]);
    from = isEnd ? at + 1 : at;
  }
  return runs;
}

export interface LineStyle {
  readonly stroke: string;
  readonly width: number;
  readonly fill?: string | CanvasGradient;
  readonly floor: number;
}

/** Draws a line in its runs. A single sample is a short dash. */
export function paintLine(
  context: CanvasRenderingContext2D,
  runs: readonly Run[],
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

/** Clears a canvas and sizes it for the pixels of the screen. One unit is then a CSS pixel. */
export function clear(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const size = { width: Math.round(width * devicePixelRatio), height: Math.round(height * devicePixelRatio) };
  // Setting a size, even the same one, reallocates the canvas.
  if (canvas.width !== size.width || canvas.height !== size.height) Object.assign(canvas, size);
  const context = canvas.getContext("2d");
  context?.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context?.clearRect(0, 0, width, height);
  return context;
}
