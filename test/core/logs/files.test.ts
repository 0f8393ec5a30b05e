import fc from "fast-check";
import { expect, test } from "vitest";
import { formatCursor, parseCursor, type LogPosition } from "../../../src/core/logs/log-line.ts";
import { compareRotated, nextOwnName, ownRotated, rotatedNames } from "../../../src/core/logs/rotated.ts";

test("rotated files are those of logrotate, pm2-logrotate and rotating loggers, and not those of another log", () => {
  const rotated = [
    "api-out.log.1",
    "api-out.log.2.gz",
    "api-out.log-20261122",
    "api-out.log-20261122.gz",
    "api-out__2026-11-22_00-00-00.log",
    "api-out__2026-11-22_00-00-00.log.gz",
  ];
  const others = [
    "api-out.log",
    "api-out-1.log",
    "api-out-1.log.1",
    "api-out.log.bak",
    "api-output.log.1",
    "api-error.log.1",
  ];
  expect(rotatedNames("api-out.log", [...others, ...rotated])).toEqual(rotated);
  expect(rotatedNames("out", ["out.1", "output.1"])).toEqual(["out.1"]);
});

const sign = (text: string): string => `s${text.length}`;
const place: fc.Arbitrary<LogPosition> = fc.record({
  log: fc.stringMatching(/^[0-9a-f]{10}$/),
  inode: fc.nat(),
  offset: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
});

test("a cursor can be decoded to its positions, and a cursor with another signature is refused", () => {
  fc.assert(
    fc.property(fc.array(place), (places) => {
      const text = formatCursor(places, sign);
      expect(text).toMatch(/^[\w-]+$/);
      expect(parseCursor(text, sign)).toEqual(places);
      expect(parseCursor(`x${text}`, sign)).toBeUndefined();
    }),
  );
});

test.each<[string, string[], string]>([
  ["without an older one", [], "20261122T080000Z-00"],
  ["after an older one", ["20261122T075959Z-07.gz"], "20261122T080000Z-00"],
  ["in the same second", ["20261122T080000Z-00"], "20261122T080000Z-01"],
  ["after the last number of a second but one", ["20261122T080000Z-98.gz"], "20261122T080000Z-99"],
  ["after the last number of a second", ["20261122T080000Z-99.gz"], "20261122T080001Z-00"],
  ["while one is copied", ["20261122T080000Z-03.copying"], "20261122T080000Z-04"],
  ["after the clock was set back", ["20261122T093000Z-00"], "20261122T093000Z-01"],
  ["with files of others", ["1", "20261122.gz"], "20261122T080000Z-00"],
])("the next file that svcm cuts off a log comes after all others: %s", (_what, endings, expected) => {
  const siblings = ["api.log", ...endings.map((ending) => `api.log.${ending}`)];
  const next = nextOwnName("api.log", siblings, Date.UTC(2026, 10, 22, 8, 0, 0, 500));
  expect(next).toBe(`api.log.${expected}`);
  expect(ownRotated("api.log", [...siblings, next]).at(-1)?.file).toBe(next);
});

test.each([
  ["numbers", ["a.log.1", "a.log.2", "a.log.10.gz"]],
  ["dates", ["a.log-20261122", "a.log-20261121.gz", "a.log-20261001"]],
  ["those of svcm", ["a.log.20261122T080001Z-00", "a.log.20261122T080000Z-01.gz", "a.log.20261122T080000Z-00"]],
])("rotated files are read newest first: %s", (_what, names) => {
  for (const shuffled of [names, names.toReversed(), [names[1]!, names[2]!, names[0]!]])
    expect(shuffled.toSorted(compareRotated)).toEqual(names);
});
