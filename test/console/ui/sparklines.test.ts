import { describe, expect, test } from "vitest";
import { sparklineScale } from "../../../src/console/ui/sparklines.ts";

const MB = 2 ** 20;
const scale = (values: readonly number[], least: number, isFromZero: boolean) =>
  sparklineScale(Float32Array.from(values), least, isFromZero);

describe("the scale of a line in a row", () => {
  test("is separate for each row: a leak uses the full height, however much memory the process had before", () => {
    const leak = Array.from({ length: 60 }, (_, at) => (1000 + at) * MB);
    expect(scale(leak, MB, false)).toEqual({ bottom: 1000 * MB, top: 1059 * MB });
  });

  test("keeps noise flat: less than a twentieth of the value or less than the minimum extent", () => {
    expect(scale([1000 * MB, 1001 * MB], MB, false).top).toBeGreaterThan(1050 * MB);
    expect(scale([1, 2], 100, false)).toEqual({ bottom: 1, top: 101 });
  });

  test("starts at 0 if 0 is meaningful, and ignores missing values", () => {
    expect(scale([40, 80], 5, true)).toEqual({ bottom: 0, top: 80 });
    expect(scale([Number.NaN, 40], 5, true)).toEqual({ bottom: 0, top: 40 });
    expect(scale([Number.NaN], 5, true)).toEqual({ bottom: 0, top: 5 });
  });
});
