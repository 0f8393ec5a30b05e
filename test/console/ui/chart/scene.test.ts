import { expect, test } from "vitest";
import { formatShare } from "../../../../src/console/data/format.ts";
import { Series } from "../../../../src/console/data/series.ts";
import {
  groupMarks,
  readChartData,
  readingOf,
  sceneOf,
  readingText,
  type Mark,
} from "../../../../src/console/ui/chart/scene.ts";

const NOON = new Date(2026, 10, 21, 12).getTime() / 1000;
const size = { width: 364, height: 130 };

function scene(columns: (number | null)[][], top?: number) {
  const times = columns[0]?.map((_, at) => NOON + at) ?? [];
  return sceneOf({ part: [times, ...columns], span: { from: NOON, to: NOON + 10 }, longestStep: 6 }, size, top);
}

test("lines reach the edges, because more samples are read than the span shows", () => {
  const series = new Series(2);
  for (let time = 0; time < 100; time += 2) series.push(time, [time, -time]);
  const { part, span } = readChartData(series, { from: 51, to: 61 }, [1]);
  const [times, values] = part;
  expect(span).toEqual({ from: 51, to: 61 });
  expect([times[0], times.at(-1), values?.[0]]).toEqual([46, 66, -46]);
  expect(readChartData(undefined, span, [0, 1]).part).toEqual([[], [], []]);
});

test("the scale ends at the given limit, or above the highest value", () => {
  expect([scene([[10, 40]], 100).scale.top, scene([[10, 40]]).scale.top]).toEqual([100, 46]);
});

test.each([
  [[[1, 35.64]], "12:00:01, 35.6%"],
  [[[1, null]], "12:00:01, –"],
  [[[1, 50], [2, 4.06]], "12:00:01, CPU 50%, Core 1 4.06%"], // oxfmt-ignore
  [[[1, 50], [1, null], [1, 4], [1, 100], [1, 9]], "12:00:01, CPU 50%, others 4% to 100%"], // oxfmt-ignore
  [[[1, 50], [1, null], [1, null], [1, null], [1, null]], "12:00:01, CPU 50%, others –"], // oxfmt-ignore
])("%j as text", (columns, words) => {
  const names = ["CPU", "Core 1", "Core 2", "Core 3", "Core 4"];
  expect(readingText(readingOf(scene(columns), 1, names, formatShare))).toBe(words);
});

test("marks that lie together are one, with their number", () => {
  const { scale } = scene([[1]]);
  const mark = (time: number) => ({ time, text: "ended" }) as Mark;
  const loop = Array.from({ length: 96 }, (_, at) => mark(NOON + 1 + at / 96));
  const groups = groupMarks({ scale, marks: [...loop, mark(NOON + 8)] });
  expect(groups.map(({ count }) => count)).toEqual([96, 1]);
  const [first] = groups;
  expect((first?.to ?? 0) - (first?.from ?? 0)).toBeCloseTo(scale.x(NOON + 1 + 95 / 96) - scale.x(NOON + 1));
});

test("a reading counts equal events, and names three kinds at most", () => {
  const event = (text: string, at: number) => ({ time: NOON + 1, text, at }) as unknown as Mark;
  const marks = ["a", "a", "b", "c", "d"].map(event);
  const { events } = readingOf(scene([[1]]), 1, [], formatShare, marks);
  expect(events).toEqual(["12:00:01 a ×2", "12:00:01 b", "12:00:01 c", "and 1 more"]);
});
