import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Span } from "../../data/series.ts";
import { inkOf } from "../ink.ts";
import { nearest, selectionOf } from "./cursor.ts";
import { clear } from "./line.ts";
import { paint } from "./paint.ts";
import { sceneOf, type Scene, type Shown } from "./scene.ts";

export interface PlotOptions {
  readonly canvas: HTMLCanvasElement;
  /** Reads signals, and is called again when they change while the canvas is in sight. */
  readonly read: () => Shown;
  readonly top?: number | undefined;
  readonly format: (value: number) => string;
  readonly steps?: readonly number[] | undefined;
  readonly version: ReadonlySignal<number>;
  readonly cursor: Signal<number | undefined>;
  readonly onZoom: (span: Span | undefined) => void;
}

export type Plot = ReturnType<typeof createPlot>;

/** Values over time on a canvas. It draws in animation frames, and only while it is in sight. */
export function createPlot(options: PlotOptions) {
  const { canvas, cursor } = options;
  const size = signal({ width: 0, height: 0 });
  const isSeen = signal(false);
  const pointer = signal<number | undefined>(undefined);
  let own: number | undefined;
  const start = signal<number | undefined>(undefined);
  const scene = computed(() => (isSeen.value ? sceneOf(options.read(), size.value, options.top) : undefined));
  const at = computed(() => {
    if (cursor.value === undefined || scene.value === undefined) return undefined;
    const { times, scale } = scene.value;
    const { from, to } = scale.span;
    return cursor.value < from || cursor.value > to ? undefined : nearest(times, scale.span, cursor.value);
  });
  const drag = computed(() =>
    start.value === undefined || pointer.value === undefined ? undefined : { start: start.value, end: pointer.value },
  );
  const ends = [
    watch(canvas, size, isSeen),
    follow(pointer, scene, (time) => void (own = cursor.value = time)),
    drawing({ ...options, size, scene, at, drag }),
  ];
  return {
    /** `undefined` while the canvas is out of sight. */
    scene,
    at,
    /** Points at a pixel, which keeps its place while time passes. */
    pointAt: (x: number): void => void (pointer.value = x),
    /** Points at a moment, which moves while time passes. */
    pointTo(time: number): void {
      batch(() => {
        pointer.value = undefined;
        own = time;
        cursor.value = time;
      });
    },
    /** Leaves the moment, unless another chart has set it. */
    leave(): void {
      batch(() => {
        pointer.value = undefined;
        if (cursor.value === own) cursor.value = undefined;
        own = undefined;
      });
    },
    grab: (x: number): void => void (start.value = x),
    /** Ends the drag, and zooms to it if `isMeant`. */
    drop(isMeant: boolean): void {
      const [over, now] = [drag.value, scene.value];
      start.value = undefined;
      const span = isMeant && over && now ? selectionOf(now.scale, over.start, over.end) : undefined;
      if (span) options.onZoom(span);
    },
    stop: (): void => ends.forEach((end) => end()),
  };
}

function watch(
  canvas: HTMLCanvasElement,
  size: Signal<{ width: number; height: number }>,
  isSeen: Signal<boolean>,
): () => void {
  const sizes = new ResizeObserver(([entry]) => void (entry && (size.value = entry.contentRect)));
  const sights = new IntersectionObserver((entries) => void (isSeen.value = entries.at(-1)?.isIntersecting ?? false));
  for (const observer of [sizes, sights]) observer.observe(canvas);
  return () => [sizes, sights].forEach((observer) => observer.disconnect());
}

/** Moves the moment of a pointer that rests while time passes. */
function follow(
  pointer: ReadonlySignal<number | undefined>,
  scene: ReadonlySignal<Scene | undefined>,
  point: (time: number | undefined) => void,
): () => void {
  return effect(() => {
    if (pointer.value === undefined || scene.value === undefined) return;
    const { times, scale } = scene.value;
    const sample = nearest(times, scale.span, scale.timeAt(pointer.value));
    point(sample === undefined ? undefined : times[sample]);
  });
}

interface Drawing extends PlotOptions {
  readonly size: ReadonlySignal<{ readonly width: number; readonly height: number }>;
  readonly scene: ReadonlySignal<Scene | undefined>;
  readonly at: ReadonlySignal<number | undefined>;
  readonly drag: ReadonlySignal<{ readonly start: number; readonly end: number } | undefined>;
}

function drawing({ canvas, size, scene, at, drag, version, format, steps }: Drawing): () => void {
  const ink = computed(() => (void version.value, inkOf(canvas)));
  const picture = computed(
    () => scene.value && { ...scene.value, ink: ink.value, format, steps, at: at.value, drag: drag.value },
  );
  let frame = 0;
  const draw = (): void => {
    frame = 0;
    const context = clear(canvas, size.peek().width, size.peek().height);
    const now = picture.peek();
    if (context && now) paint(context, now);
  };
  const end = effect(() => {
    if (picture.value) frame ||= requestAnimationFrame(draw);
  });
  return () => {
    end();
    cancelAnimationFrame(frame);
  };
}
