import fc from "fast-check";
import { expect, test } from "vitest";
import { formatCursor, parseCursor, type LogPosition } from "../../../src/core/logs/log-line.ts";
import { rotatedNames } from "../../../src/core/logs/rotated.ts";

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
