import { afterEach, describe, expect, test, vi } from "vitest";
import { fromZone, readSince } from "../../../src/core/words/time.ts";

const NOW = Date.parse("2026-01-31T12:00:00Z");

test.each([
  ["30s", "2026-01-31T11:59:30Z"],
  ["30m", "2026-01-31T11:30:00Z"],
  ["24h", "2026-01-30T12:00:00Z"],
  ["7d", "2026-01-24T12:00:00Z"],
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

describe("a time without Z or an offset is one of the machine's zone", () => {
  afterEach(() => vi.unstubAllEnvs());

  test.each([
    ["2026-01-30", "2026-01-29T23:00:00Z"],
    ["2026-10-25", "2026-10-24T22:00:00Z"],
    ["2026-10-25T04:30:00", "2026-10-25T03:30:00Z"],
    ["2026-10-25 04:30", "2026-10-25T03:30:00Z"],
    ["2026-10-25T04:30:00Z", "2026-10-25T04:30:00Z"],
    // The clock skips this time.
    ["2026-03-29T02:30:00", "2026-03-29T01:30:00Z"],
  ])("%s is %s", (given, moment) => {
    vi.stubEnv("TZ", "Europe/Berlin");
    expect(new Date(readSince(given, NOW)).toISOString()).toBe(new Date(moment).toISOString());
  });

  test("of a time that occurs twice, a range begins with the first and ends with the second", () => {
    vi.stubEnv("TZ", "Europe/Berlin");
    const twice = "2026-10-25T02:30:00";
    expect(readSince(twice, NOW)).toBe(Date.parse("2026-10-25T00:30:00Z"));
    expect(readSince(twice, NOW, "--until")).toBe(Date.parse("2026-10-25T01:30:00Z"));
  });
});

describe("a time of another zone's clock that was read as this machine's", () => {
  afterEach(() => vi.unstubAllEnvs());

  test.each([
    ["Pacific/Auckland", "UTC", "2026-11-27T16:05:20", "2026-11-27T16:05:20Z"],
    ["UTC", "Pacific/Auckland", "2026-11-28T05:05:20", "2026-11-27T16:05:20Z"],
    ["America/New_York", "Asia/Kolkata", "2026-11-27T21:35:20", "2026-11-27T16:05:20Z"],
    ["UTC", "Europe/Berlin", "2026-03-29T03:00:01", "2026-03-29T01:00:01Z"],
    ["UTC", "Europe/Berlin", "2026-10-25T03:00:01", "2026-10-25T02:00:01Z"],
  ])("in %s, of %s: %s is %s", (own, zone, text, moment) => {
    vi.stubEnv("TZ", own);
    expect(new Date(fromZone(zone)?.(Date.parse(text)) ?? 0).toISOString()).toBe(new Date(moment).toISOString());
  });

  test("nothing is corrected for a zone that is not known", () => {
    expect(fromZone("<+03>-3")).toBeUndefined();
  });
});
