import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatClock, clockWithSeconds, timeTicks, valueTicks } from "../../../../src/console/ui/chart/scale.ts";

const ROOM = { minute: 44, second: 64 };
const MIDNIGHT = new Date(2026, 10, 21).getTime() / 1000;

describe("time", () => {
  test.each([
    ["1m on a card", 60, 240, ["23:59:30", "00:00"]],
    ["1m on a phone", 60, 300, ["23:59:15", "23:59:30", "23:59:45", "00:00"]],
    ["5m on a card", 300, 240, ["23:56", "23:57", "23:58", "23:59", "00:00"]],
    ["15m on a card", 900, 240, ["23:50", "23:55", "00:00"]],
    ["15m over a page", 900, 900, Array.from({ length: 15 }, (_, at) => (at === 14 ? "00:00" : `23:${46 + at}`))],
    ["ten seconds", 10, 330, ["23:59:52", "23:59:54", "23:59:56", "23:59:58", "00:00"]],
  ])("%s", (_name, seconds, width, words) => {
    const span = { from: MIDNIGHT - seconds + 0.5, to: MIDNIGHT + 0.5 };
    expect(timeTicks(span, width, ROOM).map(formatClock)).toEqual(words);
  });

  test("labels do not overlap, all are visible, and no step is left out", () => {
    const cases = fc.record({
      from: fc.integer({ min: 0, max: 4_000_000_000 }),
      seconds: fc.integer({ min: 5, max: 3_600 }),
      width: fc.integer({ min: 60, max: 2_000 }),
    });
    fc.assert(
      fc.property(cases, ({ from, seconds, width }) => {
        const ticks = timeTicks({ from, to: from + seconds }, width, ROOM);
        const [first = from, second = Infinity] = ticks;
        const step = second - first;
        for (const [at, tick] of ticks.entries()) {
          expect(tick).toBe(first + at * (ticks.length > 1 ? step : 0));
          expect(tick >= from && tick <= from + seconds).toBe(true);
          expect(ticks.length === 1 || tick % step).toBe(ticks.length === 1 || 0);
        }
        const least = step % 60 === 0 ? ROOM.minute : ROOM.second;
        expect((step * width) / seconds).toBeGreaterThanOrEqual(least - 1e-9);
      }),
    );
  });

  test("is empty without width or time span", () => {
    expect(timeTicks({ from: 5, to: 5 }, 100, ROOM)).toEqual([5]);
    expect(timeTicks({ from: 0, to: 60 }, 0, ROOM)).toEqual([]);
  });

  test("labels have seconds unless they fall on a full minute; samples always have them", () => {
    expect([formatClock(MIDNIGHT), formatClock(MIDNIGHT + 65)]).toEqual(["00:00", "00:01:05"]);
    expect([clockWithSeconds(MIDNIGHT), clockWithSeconds(MIDNIGHT + 65)]).toEqual(["00:00:00", "00:01:05"]);
  });
});

describe("values", () => {
  const BYTES = Array.from({ length: 32 }, (_, at) => 1024 * 2 ** at);
  const MB = 1024 ** 2;

  test.each([
    [100, 82, undefined, [0, 50, 100]],
    [100, 180, undefined, [0, 20, 40, 60, 80, 100]],
    [1.15, 100, undefined, [0, 0.5, 1]],
    [0.023, 100, undefined, [0, 0.01, 0.02]],
    [0.7, 260, undefined, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]],
    [230, 300, undefined, [0, 50, 100, 150, 200]],
    [448 * MB, 120, BYTES, [0, 128 * MB, 256 * MB, 384 * MB]],
    [1, 100, BYTES, [0]],
  ])("up to %s on %s pixels", (top, height, steps, ticks) => {
    expect(valueTicks(top, height, steps)).toEqual(ticks);
  });

  test("start at 0, are at least a label's height apart, and as many as fit", () => {
    const cases = fc.record({
      top: fc.double({ min: 1e-6, max: 1e12, noNaN: true }),
      height: fc.integer({ min: 90, max: 800 }),
    });
    fc.assert(
      fc.property(cases, ({ top, height }) => {
        const ticks = valueTicks(top, height);
        const [zero = -1, step = 0] = ticks;
        expect(zero).toBe(0);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect((step * height) / top).toBeGreaterThanOrEqual(34 - 1e-6);
        expect(ticks.at(-1)).toBeLessThanOrEqual(top * (1 + 1e-6));
        expect(top - (ticks.at(-1) ?? 0)).toBeLessThan(step * (1 + 1e-6));
      }),
    );
  });

  test("are empty without height", () => expect(valueTicks(100, 0)).toEqual([]));
});
