import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Span } from "../../data/series.ts";
import { inkOf } from "../ink.ts";
import { nearest, selectionOf } from "./cursor.ts";
import { clear } from "./line.ts";
import { paint } from "./paint.ts";
import { sceneOf, type Scene, type Shown } from "./scene.ts";

export interface PlotOptions {
  readonly canvas: HTMLCanvasElement;
  /** It reads signals, and is asked again when they change and somebody can see it. */
  readonly read: () => Shown;
  readonly top?: number | undefined;
  readonly format: (value: number) => string;
  readonly steps?: readonly number[] | undefined;
  /** Changes with every colour. */
  readonly version: ReadonlySignal<number>;
  /** The moment that is pointed at, here or in another chart. */
  readonly cursor: Signal<number | undefined>;
  readonly onZoom: (span: Span | undefined) => void;
}

/** A canvas that shows values over time. It draws in animation frames only, and only where it can be seen. */
export interface Plot {
  /** `undefined` while nobody sees it. */
  readonly scene: ReadonlySignal<Scene | undefined>;
  /** The sample that is pointed at. */
  readonly at: ReadonlySignal<number | undefined>;
  /** Points at a pixel, which stays where it is when time goes on. */
  pointAt(x: number): void;
  /** Points to a moment, which goes with time. */
  pointTo(time: number): void;
  /** Points nowhere. Where another chart points it goes on. */
  leave(): void;
  /** A drag begins at a pixel, and takes with it what is pointed at. */
  grab(x: number): void;
  /** It ends: what it was over is looked at closer, or it was nothing. */
  drop(isMeant: boolean): void;
  stop(): void;
}

export function createPlot(options: PlotOptions): Plot {
  const { canvas, cursor } = options;
  const size = signal({ width: 0, height: 0 });
  const isSeen = signal(false);
  const pointer = signal<number | undefined>(undefined);
  /** The moment that this chart pointed to last. */
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
    scene,
    at,
    pointAt: (x) => void (pointer.value = x),
    pointTo(time) {
      batch(() => {
        pointer.value = undefined;
        own = time;
        cursor.value = time;
      });
    },
    leave() {
      batch(() => {
        pointer.value = undefined;
        if (cursor.value === own) cursor.value = undefined;
        own = undefined;
      });
    },
    grab: (x) => void (start.value = x),
    drop(isMeant) {
      const [over, now] = [drag.value, scene.value];
      start.value = undefined;
      const span = isMeant && over && now ? selectionOf(now.scale, over.start, over.end) : undefined;
      if (span) options.onZoom(span);
    },
    stop: () => ends.forEach((end) => end()),
  };
}

/** How large the canvas is on the page, and whether it is in sight. */
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

/** Time goes on under a pointer that rests. */
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
