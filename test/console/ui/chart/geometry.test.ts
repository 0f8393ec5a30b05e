import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearest, selectionOf, sampleForKey, zoomSpan } from "../../../../src/console/ui/chart/plot.ts";
import { findSegments } from "../../../../src/console/ui/chart/paint.ts";
import { boxOf, upperBound, scaleOf } from "../../../../src/console/ui/chart/scale.ts";

const span = { from: 1_000, to: 1_300 };
const box = { left: 50, top: 8, width: 300, height: 100 };

describe("scale", () => {
  const scale = scaleOf(box, span, 200);

  test("corners", () => {
    expect([scale.x(1_000), scale.x(1_300), scale.y(0), scale.y(200), scale.y(50)]).toEqual([50, 350, 108, 8, 83]);
  });

  test("a pixel converts to its time and back; outside of the plot, the time of the edge is used", () => {
    fc.assert(
      fc.property(fc.double({ min: 50, max: 350, noNaN: true }), (x) => {
        expect(scale.x(scale.timeAt(x))).toBeCloseTo(x, 6);
      }),
    );
    expect([scale.timeAt(-5), scale.timeAt(9_999)]).toEqual([1_000, 1_300]);
  });

  test("a canvas without size or time span has finite numbers", () => {
    const none = scaleOf(boxOf(10, 10), { from: 5, to: 5 }, 1);
    expect(none.box).toMatchObject({ width: 0, height: 0 });
    expect([none.x(5), none.y(1), none.timeAt(99)]).toEqual([60, 8, 5]);
  });

  test("the upper limit is above the highest value, and never 0", () => {
    expect([upperBound([[1, null, 100], [40]]), upperBound([[0, null]]), upperBound([])]).toEqual([
      expect.closeTo(115),
      1,
      1,
    ]);
  });
});

describe("the sample under the pointer", () => {
  const times = [990, 1_000, 1_010, 1_020, 1_300, 1_310];

  test.each([
    [0, 1],
    [1_004, 1],
    [1_006, 2],
    [1_015, 3],
    [9_999, 4],
  ])("nearest to %s", (time, at) => expect(nearest(times, span, time)).toBe(at));

  test("is undefined if no sample is visible", () => {
    expect([nearest([], span, 1_100), nearest([1, 2_000], span, 1_100)]).toEqual([undefined, undefined]);
  });

  test("is the nearest one", () => {
    const cases = fc.record({
      stamps: fc.array(fc.integer({ min: 900, max: 1_400 }), { maxLength: 30 }),
      time: fc.integer({ min: 900, max: 1_400 }),
    });
    fc.assert(
      fc.property(cases, ({ stamps, time }) => {
        const sorted = stamps.toSorted((a, b) => a - b);
        const distances = sorted.filter((at) => at >= span.from && at <= span.to).map((at) => Math.abs(at - time));
        const found = sorted[nearest(sorted, span, time) ?? -1];
        expect(found === undefined ? Infinity : Math.abs(found - time)).toBe(Math.min(...distances));
      }),
    );
  });

  test.each([
    ["ArrowLeft", undefined, 4],
    ["ArrowRight", undefined, 4],
    ["ArrowLeft", 3, 2],
    ["ArrowRight", 3, 4],
    ["ArrowLeft", 1, 1],
    ["ArrowRight", 4, 4],
    ["Home", 3, 1],
    ["End", 2, 4],
    ["a", 2, undefined],
  ])("%s from %s moves to %s", (key, from, to) => expect(sampleForKey(key, times, span, from)).toBe(to));

  test("keys do nothing without samples", () => {
    expect(sampleForKey("End", [], span, undefined)).toBeUndefined();
  });
});

describe("zooming", () => {
  const scale = scaleOf(box, span, 1);

  test("a drag in either direction is a span; a click is not", () => {
    const selected = { from: 1_050, to: 1_100 };
    expect([selectionOf(scale, 100, 150), selectionOf(scale, 150, 100)]).toEqual([selected, selected]);
    expect(selectionOf(scale, 100, 104)).toBeUndefined();
    expect(selectionOf(scale, 300, 5_000)).toEqual({ from: 1_250, to: 1_300 });
  });

  test("the time under the pointer keeps its place", () => {
    expect(zoomSpan(span, 1_100, 0.5)).toEqual({ from: 1_050, to: 1_200 });
    expect(zoomSpan(zoomSpan(span, 1_100, 0.5), 1_100, 2)).toEqual(span);
  });
});

describe("runs", () => {
  const isGap = (values: readonly (number | null)[]) => (at: number) => values[at] === null;

  test.each([
    [[], []],
    [[null, null], []],
    [[1], [[0, 1]]],
    [[1, 2, 3], [[0, 3]]],
    [[null, 1, null, null, 2, 3, null], [[1, 2], [4, 6]]], // oxfmt-ignore
  ])("%j", (values, runs) => expect(findSegments(values.length, isGap(values))).toEqual(runs));

  test("a gap ends a run", () => {
    const times = [0, 1, 9, 10, 11, 30];
    const isApart = (at: number): boolean => times[at]! - times[at - 1]! > 6;
    expect(findSegments(6, () => false, isApart)).toEqual([[0, 2], [2, 5], [5, 6]]); // oxfmt-ignore
    expect(findSegments(6, (at) => at === 2, isApart)).toEqual([[0, 2], [3, 5], [5, 6]]); // oxfmt-ignore
  });

  test("every sample is in exactly one run, and no gap is in one", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat())), (values) => {
        const inRuns = findSegments(values.length, isGap(values)).flatMap(([from, to]) => values.slice(from, to));
        expect(inRuns).toEqual(values.filter((value) => value !== null));
      }),
    );
  });
});
