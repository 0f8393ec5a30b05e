import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { hasNoDay, isDue, parseSchedule } from "../../../src/core/pm2/schedule.ts";

const at = (time: string): number => new Date(`2026-11-21T${time}`).getTime();

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
  ["0 3 21 nov *", "03:00:00", true],
  ["0 3 22 * *", "03:00:00", false],
  // PM2's library wants both days.
  ["0 3 1 * sat", "03:00:00", false],
  ["0 3 21 * mon", "03:00:00", false],
  ["0 3 21 * sat", "03:00:00", true],
])("%s at %s on a Saturday, the 21st of November: %s", (pattern, time, expected) => {
  const schedule = parseSchedule(pattern);
  expect(schedule && isDue(schedule, at(time))).toBe(expected);
});

test.each(["", "* * * *", "60 * * * *", "* * L * *", "0 3 ? * *", "*/0 * * * *", "5-1 * * * *", "a b c d e", "@daily"])(
  "the pattern %j is not understood, so it decides nothing",
  (pattern) => expect(parseSchedule(pattern)).toBeUndefined(),
);

test.each([
  ["0 0 30 2 *", true],
  ["0 0 31 2,4,6,9,11 *", true],
  ["0 0 29 2 *", false],
  // Every 28 years.
  ["0 0 29 2 mon", false],
  ["0 3 * * *", false],
  ["@daily", false],
])("no day has %s: %s", (pattern, expected) => expect(hasNoDay(pattern)).toBe(expected));

test("PM2's own library is never due when svcm says that a schedule is not", () => {
  const Cron = createRequire(createRequire(import.meta.url).resolve("pm2/package.json"))("croner") as Croner;
  const patterns = ["0 3 1 * sat", "15 10 * * 1-5", "0 12 1-7 * */7", "*/20 * * * * *", "5 4 13 * fri", "30 2 * 1-3 0"];
  for (const pattern of patterns) {
    const schedule = parseSchedule(pattern);
    const dueMs =
      Cron(pattern)
        .next(new Date(at("10:15:00")))
        ?.getTime() ?? Number.NaN;
    expect([pattern, schedule && isDue(schedule, dueMs)]).toEqual([pattern, true]);
  }
});

type Croner = (pattern: string) => { next(after: Date): Date | null };
