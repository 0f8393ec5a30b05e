import { afterEach, expect, test, vi } from "vitest";
import { inLocalTime } from "../../../src/core/words/time.ts";

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["UTC", "2026-11-22T23:46:44Z", "2026-11-22 23:46:44Z"],
  ["Europe/Berlin", "2026-11-22T23:46:44.123Z", "2026-11-23 00:46:44+01:00"],
  ["Europe/Berlin", "2026-07-22T23:46:44Z", "2026-07-23 01:46:44+02:00"],
  ["America/St_Johns", "2026-11-22T03:46:44Z", "2026-11-22 00:16:44-03:30"],
  ["Asia/Kolkata", "since 2026-11-22T23:46:44Z: none", "since 2026-11-23 05:16:44+05:30: none"],
  ["Europe/Berlin", "no time", "no time"],
])("in %s, %s is %s", (zone, text, shown) => {
  vi.stubEnv("TZ", zone);
  expect(inLocalTime(text)).toBe(shown);
});
