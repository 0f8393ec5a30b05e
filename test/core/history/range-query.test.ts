/** The question to Prometheus, and its answer as steps of the history. */
import { expect, test } from "vitest";
import { rangeQuery, toSteps } from "../../../src/core/history/operations/history.ts";
import { parseSelectors } from "../../../src/core/history/columns.ts";

const MINUTE = 60_000;
const span = { fromMs: 10 * MINUTE, toMs: 20 * MINUTE, stepMs: MINUTE };

test.each([
  [undefined, 6 + 10],
  ["host", 6],
  ["host:cpuPercent", 2],
  ["*", 10],
  ["api:memoryBytes", 2],
  ["host:diskPercent,api:memoryBytes", 4],
])("the series %s need %i expressions, a mean and a maximum each", (series, count) => {
  const { query } = rangeQuery(span, parseSelectors(series), "server-1");
  expect(query.split("label_replace").length - 1).toBe(count);
  expect(query.split('svcm_build_info{server="server-1"}').length - 1).toBe(count);
});

test("a value covers the time before it, and a point the time after it", () => {
  expect(rangeQuery(span, [], "s")).toMatchObject({ startMs: 11 * MINUTE, endMs: 20 * MINUTE, stepMs: MINUTE });
  expect(rangeQuery({ ...span, toMs: 20 * MINUTE + 1 }, [], "s").endMs).toBe(21 * MINUTE);
});

test.each([
  [10_000, "120000ms"],
  [2 * MINUTE, "120000ms"],
  [5 * MINUTE, "300000ms"],
])("with steps of %i ms, each value is of %s, which has two scrapes", (stepMs, window) => {
  expect(rangeQuery({ ...span, stepMs }, parseSelectors("host:cpuPercent"), "s").query).toContain(`[${window}]`);
});

test("an answer has a mean and a maximum for each column, in any order, and nothing that is not a number", () => {
  const of = (position: string, value: string, more: object = {}) => ({
    metric: { svcm_values: position, ...more },
    values: [[11 * 60, value] as const],
  });
  const api = { name: "api", pm_id: "0" };
  const steps = toSteps(
    [
      of("0/1", "90"),
      of("0/0", "30"),
      of("2/0", "50"),
      of("1/0", "NaN"),
      of("1/1", "2048", api),
      of("1/0", "1024", api),
    ],
    span,
  );
  expect(steps).toEqual([
    { atMs: 10 * MINUTE, host: [[30, 90], null, [50, 50]], processes: { "api/0": [null, [1024, 2048]] } },
  ]);
});
