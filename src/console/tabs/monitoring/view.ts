import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Span } from "../../data/series.ts";
import type { Feed } from "./feed.ts";

/** In seconds. */
export const ranges = {
  "1m": 60,
  "5m": 300,
  "15m": 900,
  "1h": 3_600,
  "6h": 21_600,
  "24h": 86_400,
  "7d": 604_800,
} as const;
/** `release`: since the last release ended. */
export type Range = keyof typeof ranges | "release";

export function rangeText(range: Range): string {
  return range === "release" ? "the time since the last release" : `the last ${range}`;
}

/** In seconds; a shorter span has too few samples. */
const MIN_SPAN = 5;

export type View = ReturnType<typeof createView>;

export function createView(
  feed: Pick<Feed, "displayed" | "isPaused" | "pause">,
  released: ReadonlySignal<number | undefined>,
) {
  const first: Range = "5m";
  const range = signal<Range>(first);
  const now = (): number => feed.displayed.value?.time ?? 0;
  const seconds = computed(() => {
    if (range.value !== "release") return ranges[range.value];
    // Whole, as the server accepts it.
    return Math.ceil(Math.max(ranges["1m"], now() - (released.value ?? now())));
  });
  const fullSpan = computed((): Span => ({ from: now() - seconds.value, to: now() }));
  const zooming = createZoom(feed, fullSpan);
  return {
    first,
    range,
    seconds,
    released,
    ...zooming,
    /** In seconds. */
    cursor: signal<number | undefined>(undefined),
    choose(next: Range): void {
      range.value = next;
      zooming.zoom(undefined);
    },
  };
}

/** The zoomed part of the whole span. A zoomed view is paused, and a view that goes on is not zoomed. */
function createZoom(feed: Pick<Feed, "isPaused" | "pause">, whole: ReadonlySignal<Span>) {
  const zoomed = signal<Span | undefined>(undefined);
  let wasPaused = false;
  const leave = (isPaused: boolean): void =>
    batch(() => {
      zoomed.value = undefined;
      feed.pause(isPaused);
    });
  return {
    /** Ends with the sample on the screen, unless the view is zoomed. */
    span: computed(() => zoomed.value ?? whole.value),
    isZoomed: computed(() => zoomed.value !== undefined),
    /** Shows a part of the range and pauses; without a part, or with all of the range, ends that. */
    zoom(part: Span | undefined): void {
      const span = part && clampSpan(whole.value, part);
      if (span === undefined) {
        if (zoomed.value !== undefined) leave(wasPaused);
        return;
      }
      if (zoomed.value === undefined) wasPaused = feed.isPaused.value;
      batch(() => {
        feed.pause(true);
        zoomed.value = span;
      });
    },
    /** Continuing resets the zoom. */
    pause(isPaused: boolean): void {
      wasPaused = isPaused;
      if (isPaused) feed.pause(true);
      else leave(false);
    },
  };
}

/** Moves the part into the range and extends it to {@link MIN_SPAN}; `undefined` if it is the whole range. */
function clampSpan(whole: Span, { from, to }: Span): Span | undefined {
  const length = Math.max(to - from, MIN_SPAN);
  const last = whole.to - length;
  // Allows for the rounding of halves and doubles.
  if (last <= whole.from + 0.001) return undefined;
  const start = Math.min(Math.max((from + to - length) / 2, whole.from), last);
  return { from: start, to: start + length };
}
