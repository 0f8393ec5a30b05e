import { expect, test } from "vitest";
import { readSince } from "../../../src/commands/terminal/times.ts";

const NOW = Date.parse("2026-01-31T12:00:00Z");

test.each([
  ["30s", "2026-01-31T11:59:30Z"],
  ["30m", "2026-01-31T11:30:00Z"],
  ["24h", "2026-01-30T12:00:00Z"],
  ["7d", "2026-01-24T12:00:00Z"],
  ["2026-01-30", "2026-01-30T00:00:00Z"],
  ["2026-01-30T08:00:00+02:00", "2026-01-30T06:00:00Z"],
  ["999999d", "1970-01-01T00:00:00Z"],
])("%s is %s", (given, moment) => {
  expect(readSince(given, NOW)).toBe(Date.parse(moment));
});

test.each(["", "yesterday", "24", "h", "-1h", "2026", "2026-13-40", "1w"])(
  "%j is refused with what is accepted",
  (given) => {
    expect(() => readSince(given, NOW)).toThrow(/^--since: .*Accepted: an age such as 30m/);
  },
);
