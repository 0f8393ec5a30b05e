import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Span } from "../../data/series.ts";
import { inkOf } from "../colors.ts";
import { nearest, selectionOf } from "./cursor.ts";
import { clear, paint } from "./paint.ts";
import { marksAt, sceneOf, type Mark, type Scene, type Shown } from "./scene.ts";

export interface PlotOptions {
  readonly canvas: HTMLCanvasElement;
  /** Reads signals, so it runs again when they change while the canvas is visible. */
  readonly read: () => Shown;
  readonly top?: number | undefined;
  readonly format: (value: number) => string;
  readonly steps?: readonly number[] | undefined;
  readonly version: ReadonlySignal<number>;
  readonly cursor: Signal<number | undefined>;
  readonly onZoom: (span: Span | undefined) => void;
  readonly onMarks: (marks: readonly Mark[]) => void;
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
  readonly #ends: readonly (() => void)[];
  #own: number | undefined;

  constructor(options: PlotOptions) {
    const { canvas, cursor, read, top } = options;
    const size = signal({ width: 0, height: 0 });
    const isSeen = signal(false);
    const scene = computed(() => (isSeen.value ? sceneOf(read(), size.value, top) : undefined));
    this.#options = options;
    this.scene = scene;
    this.at = computed(() => sampleAt(scene.value, cursor.value));
    this.marks = computed(() => {
      if (scene.value === undefined) return [];
      const { times, scale } = scene.value;
      return marksAt(scene.value, this.#pointer.value ?? scale.x(times[this.at.value ?? Number.NaN] ?? Number.NaN));
    });
    this.#ends = [
      watch(canvas, size, isSeen),
      follow(this.#pointer, scene, (time) => void (this.#own = cursor.value = time)),
      drawing({ ...options, size, scene, at: this.at, drag: this.#drag }),
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
      this.#own = time;
      this.#options.cursor.value = time;
    });
  }

  /** Keeps a moment that another chart has set. */
  leave(): void {
    const { cursor } = this.#options;
    batch(() => {
      this.#pointer.value = undefined;
      if (cursor.value === this.#own) cursor.value = undefined;
      this.#own = undefined;
    });
  }

  grab(x: number): void {
    this.#start.value = x;
  }

  /** A drag that is meant zooms; a click selects the events at the pointer. */
  drop(isMeant: boolean): void {
    const [over, now] = [this.#drag.value, this.scene.value];
    this.#start.value = undefined;
    if (!isMeant || !over || !now) return;
    const span = selectionOf(now.scale, over.start, over.end);
    if (span) this.#options.onZoom(span);
    else this.#options.onMarks(this.marks.value);
  }

  choose(): void {
    const { marks, scene } = this;
    this.#options.onMarks(marks.value.length > 0 ? marks.value : (scene.value?.marks ?? []));
  }

  stop(): void {
    for (const end of this.#ends) end();
  }
}

function sampleAt(scene: Scene | undefined, moment: number | undefined): number | undefined {
  if (scene === undefined || moment === undefined) return undefined;
  const { times, scale } = scene;
  return moment < scale.span.from || moment > scale.span.to ? undefined : nearest(times, scale.span, moment);
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

/** Updates the moment under a resting pointer while time passes. */
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
  let isDue = false;
  let isOver = false;
  // Runs after all changes but before the next paint; an animation frame would come one frame later.
  const draw = (): void => {
    isDue = false;
    if (isOver) return;
    const context = clear(canvas, size.peek().width, size.peek().height);
    const now = picture.peek();
    if (context && now) paint(context, now);
  };
  const end = effect(() => {
    if (picture.value === undefined || isDue) return;
    isDue = true;
    queueMicrotask(draw);
  });
  return () => {
    isOver = true;
    end();
  };
}
