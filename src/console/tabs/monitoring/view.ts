import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Span } from "../../data/series.ts";
import type { Feed } from "./feed.ts";

/** Seconds that the charts may show. */
export const ranges = { "1m": 60, "5m": 300, "15m": 900 } as const;
export type Range = keyof typeof ranges;

/** Seconds. Closer than that there are no samples to look at. */
const SHORTEST = 5;

/** The part of time that every chart of the tab shows, and the moment that is pointed at. */
export interface View {
  readonly range: ReadonlySignal<Range>;
  /** Ends with what is on the screen, unless somebody looks closer. */
  readonly span: ReadonlySignal<Span>;
  readonly isZoomed: ReadonlySignal<boolean>;
  /** In seconds. */
  readonly cursor: Signal<number | undefined>;
  /** Shows all of another range. */
  choose(range: Range): void;
  /**
   * Shows a part of the range, and the screen stands still; without one, all of it again, going on if it went on
   * before. A span that holds all of the range is none.
   */
  zoom(span: Span | undefined): void;
  /** What goes on shows all of its range. */
  pause(isPaused: boolean): void;
}

export function createView(feed: Pick<Feed, "shown" | "isPaused" | "pause">): View {
  const range = signal<Range>("5m");
  const zoomed = signal<Span | undefined>(undefined);
  const whole = computed((): Span => {
    const to = feed.shown.value?.time ?? 0;
    return { from: to - ranges[range.value], to };
  });
  let wasPaused = false;
  const leave = (): void => {
    if (zoomed.value === undefined) return;
    batch(() => {
      zoomed.value = undefined;
      feed.pause(wasPaused);
    });
  };
  return {
    range,
    span: computed(() => zoomed.value ?? whole.value),
    isZoomed: computed(() => zoomed.value !== undefined),
    cursor: signal<number | undefined>(undefined),
    choose(next) {
      range.value = next;
      leave();
    },
    zoom(asked) {
      const span = asked && within(whole.value, asked);
      if (span === undefined) return leave();
      if (zoomed.value === undefined) wasPaused = feed.isPaused.value;
      batch(() => {
        feed.pause(true);
        zoomed.value = span;
      });
    },
    pause(isPaused) {
      wasPaused = isPaused;
      if (isPaused) feed.pause(true);
      else
        batch(() => {
          zoomed.value = undefined;
          feed.pause(false);
        });
    },
  };
}

/** The asked part, moved into the whole and long enough to see something; `undefined` where it is all of it. */
function within(whole: Span, { from, to }: Span): Span | undefined {
  const length = Math.max(to - from, SHORTEST);
  const last = whole.to - length;
  // A thousandth: what is halved and doubled is not quite what it was.
  if (last <= whole.from + 0.001) return undefined;
  const start = Math.min(Math.max((from + to - length) / 2, whole.from), last);
  return { from: start, to: start + length };
}
