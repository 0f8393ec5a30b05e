import { describe, expect, test } from "vitest";
import {
  ColumnBuilder,
  aggregateMinutes,
  alignSpan,
  encodeSeriesApp,
  parseSelectors,
  seriesFilter,
} from "../../../src/core/history/columns.ts";
import type { Step } from "../../../src/core/history/step.ts";
import { SvcmError } from "../../../src/core/index.ts";
import { MIB, stepAt, stepsBetween } from "../../support/recorded.ts";

const NOON = Date.UTC(2030, 0, 1, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function columnsOf(steps: readonly Step[], range: { from: number; to: number; points: number }, series?: string) {
  const columns = new ColumnBuilder(alignSpan(range), seriesFilter(parseSelectors(series)));
  for (const step of steps) columns.add(step);
  return columns.result();
}

describe("columns of the history", () => {
  test("a point has the mean and the maximum of its steps", () => {
    // The end of the span is not in it, and its beginning is.
    const outside = [stepAt(NOON - 1), stepAt(NOON + 2 * MINUTE)];
    const inside = stepsBetween(NOON, NOON + 2 * MINUTE, (ms) => (ms === NOON ? 220 * MIB : 100 * MIB));
    const steps = [...outside, ...inside];
    const { from, step, series } = columnsOf(
      steps,
      { from: NOON, to: NOON + 2 * MINUTE, points: 2 },
      "api:memoryBytes",
    );
    expect({ from, step }).toEqual({ from: NOON, step: MINUTE });
    expect(series).toEqual([
      { app: "api", pmId: 0, metric: "memoryBytes", mean: [120 * MIB, 100 * MIB], max: [220 * MIB, 100 * MIB] },
    ]);
  });

  test("the minutes equal those computed from their steps", () => {
    const steps = stepsBetween(NOON, NOON + HOUR, (ms) => Math.round(100 * MIB + (ms - NOON) * 7));
    const range = { from: NOON, to: NOON + HOUR, points: 12 };
    const [fine] = columnsOf(steps, range, "api:memoryBytes").series;
    const [coarse] = columnsOf(aggregateMinutes(steps), range, "api:memoryBytes").series;
    expect(coarse?.max).toEqual(fine?.max);
    fine?.mean.forEach((value, at) => expect(Math.abs((value ?? 0) - (coarse?.mean[at] ?? 0))).toBeLessThanOrEqual(1));
  });

  test("a value that was not measured is null, never 0, and a series without a value is left out", () => {
    const unknown = { atMs: NOON, host: [null, 50, null], processes: { "api/0": [null, null, null, null, 3] } };
    const { series } = columnsOf([unknown, stepAt(NOON + 10_000)], { from: NOON, to: NOON + 20_000, points: 2 });
    const find = (app: string | null, metric: string) => series.find((one) => one.app === app && one.metric === metric);
    expect(find("api", "memoryBytes")?.mean).toEqual([null, 100 * MIB]);
    expect(find(null, "cpuPercent")?.mean).toEqual([null, 10]);
    expect(
      columnsOf([unknown], { from: NOON, to: NOON + 10_000, points: 1 }).series.map(({ metric }) => metric),
    ).toEqual(["memoryPercent", "restartCount"]);
  });

  test("a fourth missed step makes a gap", () => {
    const gapsAfter = (seconds: number) => {
      const steps = [stepAt(NOON), stepAt(NOON + seconds * 1000)];
      return columnsOf(steps, { from: NOON, to: NOON + (seconds + 10) * 1000, points: 60 }).gaps.length;
    };
    expect([gapsAfter(30), gapsAfter(31)]).toEqual([0, 1]);
  });

  test("periods without a recorder are gaps, at the beginning, between and at the end", () => {
    const steps = [
      ...stepsBetween(NOON + 5 * MINUTE, NOON + 10 * MINUTE),
      ...stepsBetween(NOON + 20 * MINUTE, NOON + 30 * MINUTE),
    ];
    const { gaps } = columnsOf(steps, { from: NOON, to: NOON + HOUR, points: 360 });
    expect(gaps.map((gap) => gap.map((at) => Math.round((at - NOON) / MINUTE)))).toEqual([
      [0, 5],
      [10, 20],
      [30, 60],
    ]);
    expect(columnsOf(stepsBetween(NOON, NOON + HOUR), { from: NOON, to: NOON + HOUR, points: 360 }).gaps).toEqual([]);
  });

  test("steps in another order, as after a clock that was set back, give the same columns", () => {
    const steps = stepsBetween(NOON, NOON + 10 * MINUTE, (ms) => ms - NOON);
    const range = { from: NOON, to: NOON + 10 * MINUTE, points: 60 };
    expect(columnsOf(steps.toReversed(), range)).toEqual(columnsOf(steps, range));
  });

  test("a span has at most one point more than requested, at times that stay the same while time passes", () => {
    for (const length of [15 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR, 7 * 24 * HOUR, 90 * 24 * HOUR]) {
      const [one, next] = [0, 7000].map((later) =>
        alignSpan({ from: NOON + later - length, to: NOON + later, points: 500 }),
      );
      expect((one!.toMs - one!.fromMs) / one!.stepMs).toBeLessThanOrEqual(501);
      // Nothing of the request is left out.
      expect([one!.fromMs <= NOON - length, next!.fromMs <= NOON + 7000 - length]).toEqual([true, true]);
      expect((next!.fromMs - one!.fromMs) % one!.stepMs).toBe(0);
    }
  });
});

describe("names of series", () => {
  const names = (series: string | undefined, steps = [step]) =>
    columnsOf(steps, { from: NOON, to: NOON + 10_000, points: 1 }, series).series.map(
      ({ app, pmId, metric }) => `${app}/${pmId}:${metric}`,
    );
  const step = {
    atMs: NOON,
    host: [1, 2, 3],
    processes: { "api/0": [1, 2, 3, 4, 5], "api/1": [1, 2, 3, 4, 5], "host/2": [1], "a,b/c:d%/3": [1] },
  };

  test.each([
    ["host", ["null/null:cpuPercent", "null/null:memoryPercent", "null/null:diskPercent"]],
    ["host:diskPercent", ["null/null:diskPercent"]],
    ["api/1:memoryBytes", ["api/1:memoryBytes"]],
    ["api:restartCount", ["api/0:restartCount", "api/1:restartCount"]],
    ["*:memoryBytes", ["api/0:memoryBytes", "api/1:memoryBytes"]],
    [encodeSeriesApp("host"), ["host/2:cpuPercent"]],
    ["host/2", ["host/2:cpuPercent"]],
    [encodeSeriesApp("a,b/c:d%"), ["a,b/c:d%/3:cpuPercent"]],
    ["absent", []],
  ])("%s selects its series", (series, expected) => {
    expect(names(series)).toEqual(expected);
  });

  test.each(["", "api/", "api/x", "api:speed", "%E0%A4%A", "api,,host", "/0", "a/0/1"])(
    "%j is refused with what is accepted",
    (series) => {
      expect(() => parseSelectors(series)).toThrow(SvcmError);
      expect(() => parseSelectors(series)).toThrow(/Accepted: .*memoryBytes/);
    },
  );
});
