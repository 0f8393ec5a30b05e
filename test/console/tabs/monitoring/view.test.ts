import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import type { Feed, Sample } from "../../../../src/console/tabs/monitoring/feed.ts";
import { createView } from "../../../../src/console/tabs/monitoring/view.ts";

function started(isPausedBefore = false) {
  const displayed = signal<Sample | undefined>({ time: 1_000 } as Sample);
  const isPaused = signal(isPausedBefore);
  const feed: Pick<Feed, "displayed" | "isPaused" | "pause"> = {
    displayed: displayed,
    isPaused,
    pause: (on) => void (isPaused.value = on),
  };
  const released = signal<number | undefined>(undefined);
  return { displayed, isPaused, released, view: createView(feed, released) };
}

const whole = { from: 700, to: 1_000 };
const part = { from: 800, to: 850 };

test("the range ends with the displayed sample", () => {
  const { view, displayed } = started();
  expect(view.span.value).toEqual(whole);
  displayed.value = { time: 1_060 } as Sample;
  expect(view.span.value).toEqual({ from: 760, to: 1_060 });
  view.choose("1m");
  expect(view.span.value).toEqual({ from: 1_000, to: 1_060 });
});

test("the range since the release begins with its end, and is at least a minute", () => {
  const { view, displayed, released } = started();
  view.choose("release");
  expect(view.span.value).toEqual({ from: 940, to: 1_000 });
  released.value = 400.25;
  expect(view.span.value).toEqual({ from: 400, to: 1_000 });
  displayed.value = { time: 1_060 } as Sample;
  expect(view.span.value).toEqual({ from: 400, to: 1_060 });
});

test("zooming pauses, and leaving the zoom resumes", () => {
  const { view, isPaused } = started();
  view.zoom(part);
  expect([view.span.value, view.isZoomed.value, isPaused.value]).toEqual([part, true, true]);
  view.zoom({ from: 810, to: 820 });
  view.zoom(undefined);
  expect([view.span.value, view.isZoomed.value, isPaused.value]).toEqual([whole, false, false]);
});

test("a view that was paused before stays paused", () => {
  const { view, isPaused } = started(true);
  view.zoom(part);
  view.zoom(undefined);
  expect([view.isZoomed.value, isPaused.value]).toEqual([false, true]);
  view.zoom(undefined);
  expect(isPaused.value).toBe(true);
});

test("a resumed view shows the complete range, with or without a new sample", () => {
  const { view, isPaused } = started();
  view.zoom(part);
  view.pause(false);
  expect([view.span.value, isPaused.value]).toEqual([whole, false]);
});

test("another range is displayed completely", () => {
  const { view, isPaused } = started();
  view.zoom(part);
  view.choose("15m");
  expect([view.span.value, isPaused.value]).toEqual([{ from: 100, to: 1_000 }, false]);
});

test("a span is moved into the range and is never shorter than the interval of samples; the full range ends the zoom", () => {
  const { view, isPaused } = started();
  view.zoom({ from: 650, to: 750 });
  expect(view.span.value).toEqual({ from: 700, to: 800 });
  view.zoom({ from: 960, to: 1_020 });
  expect(view.span.value).toEqual({ from: 940, to: 1_000 });
  view.zoom({ from: 800, to: 801 });
  expect(view.span.value).toEqual({ from: 798, to: 803 });
  view.zoom({ from: 600, to: 1_100 });
  expect([view.isZoomed.value, isPaused.value]).toEqual([false, false]);
});
