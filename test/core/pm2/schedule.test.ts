import { expect, test } from "vitest";
import { isDue, nextDue, parseSchedule } from "../../../src/core/pm2/schedule.ts";

const at = (time: string): number => new Date(`2026-11-21T${time}`).getTime();
const local = (ms: number | undefined): string => new Date(ms ?? Number.NaN).toString().slice(0, 24);

test.each([
  ["* * * * *", "10:15:00", true],
  ["* * * * *", "10:15:01", false],
  ["*/5 * * * * *", "10:15:10", true],
  ["*/5 * * * * *", "10:15:11", false],
  ["0 3 * * *", "03:00:00", true],
  ["0 3 * * *", "04:00:00", false],
  ["15-20/5,40 10 * * *", "10:20:00", true],
  ["15-20/5,40 10 * * *", "10:18:00", false],
  ["0 3 * * SAT", "03:00:00", true],
  ["0 3 * * sun,mon", "03:00:00", false],
  ["0 3 * * 6", "03:00:00", true],
  ["0 3 21 nov ?", "03:00:00", true],
  ["0 3 22 * *", "03:00:00", false],
  // If both a day of the month and a day of the week are given, either is sufficient.
  ["0 3 1 * sat", "03:00:00", true],
  ["0 3 21 * mon", "03:00:00", true],
])("%s at %s on a Saturday, the 21st of November: %s", (pattern, time, expected) => {
  const schedule = parseSchedule(pattern);
  expect(schedule && isDue(schedule, at(time))).toBe(expected);
});

test.each(["", "* * * *", "60 * * * *", "* * L * *", "*/0 * * * *", "5-1 * * * *", "a b c d e", "@daily"])(
  "the pattern %j is not understood, so it decides nothing",
  (pattern) => expect(parseSchedule(pattern)).toBeUndefined(),
);

test.each([
  ["0 3 * * *", "2026-11-22T03:00:00"],
  ["30 10 * * *", "2026-11-21T10:30:00"],
  ["*/10 * * * * *", "2026-11-21T10:15:10"],
  ["0 0 1 1 *", "2027-01-01T00:00:00"],
  ["0 12 * * 0", "2026-11-22T12:00:00"],
  ["0 12 * * 7", "2026-11-22T12:00:00"],
])("after a quarter past ten, %s is due next at %s", (pattern, expected) => {
  const schedule = parseSchedule(pattern);
  expect(local(schedule && nextDue(schedule, at("10:15:00")))).toBe(local(new Date(expected).getTime()));
});

test("a day that does not exist is never due", () => {
  const schedule = parseSchedule("0 0 31 2 *");
  expect(schedule && nextDue(schedule, at("10:15:00"))).toBeUndefined();
});
