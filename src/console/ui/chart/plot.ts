import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Span } from "../../data/series.ts";
import { readColors, prepareCanvas, paint } from "./paint.ts";
import { marksAt, sceneOf, type Mark, type Scene, type ChartData } from "./scene.ts";
import type { Scale } from "./scale.ts";

export interface PlotOptions {
  readonly canvas: HTMLCanvasElement;
  /** Reads signals, so it runs again when they change while the canvas is visible. */
  readonly read: () => ChartData;
  readonly top?: number | undefined;
  readonly format: (value: number) => string;
  readonly steps?: readonly number[] | undefined;
  readonly version: ReadonlySignal<number>;
  readonly cursor: Signal<number | undefined>;
  readonly onZoom: (span: Span | undefined) => void;
  readonly onMarks: (marks: readonly Mark[]) => unknown;
}

/** Draws in the frame of a change, and only while visible. */
export class Plot {
  /** `undefined` while the canvas is not visible. */
  readonly scene;
  /** The index of the sample at the cursor. */
  readonly at;
  /** The events at the pointer, or else at the selected sample. */
  readonly marks;
  readonly #options: PlotOptions;
  readonly #pointer = signal<number | undefined>(undefined);
  readonly #start = signal<number | undefined>(undefined);
  readonly #drag = computed(() => {
    const [start, end] = [this.#start.value, this.#pointer.value];
    return start === undefined || end === undefined ? undefined : { start, end };
  });
  readonly #disposers: readonly (() => void)[];
  #ownMoment: number | undefined;

  constructor(options: PlotOptions) {
    const { canvas, cursor, read, top } = options;
    const size = signal({ width: 0, height: 0 });
    const isVisible = signal(false);
    const scene = computed(() => (isVisible.value ? sceneOf(read(), size.value, top) : undefined));
    this.#options = options;
    this.scene = scene;
    this.at = computed(() => sampleAt(scene.value, cursor.value));
    this.marks = computed(() => {
      if (scene.value === undefined) return [];
      const { times, scale } = scene.value;
      // At a moment of another chart, that one shows the events.
      if (this.#pointer.value === undefined && cursor.value !== this.#ownMoment) return [];
      return marksAt(scene.value, this.#pointer.value ?? scale.x(times[this.at.value ?? Number.NaN] ?? Number.NaN));
    });
    this.#disposers = [
      observeCanvas(canvas, size, isVisible),
      followPointer(this.#pointer, scene, (time) => void (this.#ownMoment = cursor.value = time)),
      startDrawing({ ...options, size, scene, at: this.at, drag: this.#drag }),
    ];
  }

  /** The pixel keeps its place while time passes. */
  pointAt(x: number): void {
    this.#pointer.value = x;
  }

  /** The moment moves while time passes. */
  pointTo(time: number): void {
    batch(() => {
      this.#pointer.value = undefined;
      this.#ownMoment = time;
      this.#options.cursor.value = time;
    });
  }

  /** Keeps a moment that another chart has set. */
  leave(): void {
    const { cursor } = this.#options;
    batch(() => {
      this.#pointer.value = undefined;
      if (cursor.value === this.#ownMoment) cursor.value = undefined;
      this.#ownMoment = undefined;
    });
  }

  grab(x: number): void {
    this.#start.value = x;
  }

  /** A complete drag zooms; a click selects the events at the pointer. */
  drop(isComplete: boolean): void {
    const [drag, scene] = [this.#drag.value, this.scene.value];
    this.#start.value = undefined;
    if (!isComplete || !drag || !scene) return;
    const span = selectionOf(scene.scale, drag.start, drag.end);
    if (span) this.#options.onZoom(span);
    else this.#options.onMarks(this.marks.value);
  }

  choose(): void {
    const { marks, scene } = this;
    this.#options.onMarks(marks.value.length > 0 ? marks.value : (scene.value?.marks ?? []));
  }

  stop(): void {
    for (const dispose of this.#disposers) dispose();
  }
}

function sampleAt(scene: Scene | undefined, moment: number | undefined): number | undefined {
  if (scene === undefined || moment === undefined) return undefined;
  const { times, scale } = scene;
  return moment < scale.span.from || moment > scale.span.to ? undefined : nearest(times, scale.span, moment);
}

function observeCanvas(
  canvas: HTMLCanvasElement,
  size: Signal<{ width: number; height: number }>,
  isVisible: Signal<boolean>,
): () => void {
  const resize = new ResizeObserver(([entry]) => void (entry && (size.value = entry.contentRect)));
  const visibility = new IntersectionObserver(
    (entries) => void (isVisible.value = entries.at(-1)?.isIntersecting ?? false),
  );
  for (const observer of [resize, visibility]) observer.observe(canvas);
  return () => [resize, visibility].forEach((observer) => observer.disconnect());
}

/** Updates the moment under a resting pointer while time passes. */
function followPointer(
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

function startDrawing({ canvas, size, scene, at, drag, version, format, steps }: Drawing): () => void {
  const colors = computed(() => (void version.value, readColors(canvas)));
  const picture = computed(
    () => scene.value && { ...scene.value, colors: colors.value, format, steps, at: at.value, drag: drag.value },
  );
  // Before components render, because a text on a canvas brings the style and the layout of the page up to date.
  return effect(() => {
    const now = picture.value;
    const context = now && prepareCanvas(canvas, size.peek().width, size.peek().height);
    if (context) paint(context, now);
  });
}

/** In CSS pixels; a shorter drag is a click. */
const MIN_DRAG = 6;

/** Returns an index of `times`, which are ascending; `undefined` if no sample is in the span. */
export function nearest(times: readonly number[], span: Span, time: number): number | undefined {
  let found: number | undefined;
  for (const [at, other] of times.entries()) {
    if (other < span.from || other > span.to) continue;
    if (found !== undefined && Math.abs(other - time) > Math.abs((times[found] ?? 0) - time)) break;
    found = at;
  }
  return found;
}

/**
 * The sample that a key moves to. With nothing selected, every key except Home starts at the newest.
 *
 * @returns `undefined` for another key, or if no sample is in sight
 */
export function sampleForKey(
  key: string,
  times: readonly number[],
  span: Span,
  at: number | undefined,
): number | undefined {
  const first = nearest(times, span, span.from);
  const last = nearest(times, span, span.to);
  if (first === undefined || last === undefined) return undefined;
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: at === undefined ? last : Math.max(at - 1, first),
    ArrowRight: at === undefined ? last : Math.min(at + 1, last),
    Home: first,
    End: last,
  };
  return steps[key];
}

export function selectionOf(scale: Scale, start: number, end: number): Span | undefined {
  if (Math.abs(end - start) < MIN_DRAG) return undefined;
  return { from: scale.timeAt(Math.min(start, end)), to: scale.timeAt(Math.max(start, end)) };
}

/** The span is `times` as long and keeps the moment in place. */
export function zoomSpan({ from, to }: Span, moment: number, times: number): Span {
  return { from: moment - (moment - from) * times, to: moment + (to - moment) * times };
}
