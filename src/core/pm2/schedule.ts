/** `cron_restart`: five fields, or six with seconds first, in the machine's time zone. */

type Values = ReadonlySet<number>;

export interface Schedule {
  readonly time: readonly [seconds: Values, minutes: Values, hours: Values];
  readonly hasDay: (day: Date) => boolean;
}

const FIELDS = [
  { from: 0, to: 59 },
  { from: 0, to: 59 },
  { from: 0, to: 23 },
  { from: 1, to: 31 },
  { from: 1, to: 12, names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"] },
  { from: 0, to: 7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
] as const;

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;

/** Returns `undefined` for a form that svcm does not support, such as `L`. */
export function parseSchedule(pattern: string): Schedule | undefined {
  const words = pattern.trim().toLowerCase().split(/\s+/);
  const texts = words.length === 5 ? ["0", ...words] : words;
  if (texts.length !== FIELDS.length) return undefined;
  const sets = FIELDS.map((field, index) => parseField(texts[index] ?? "", field));
  const [seconds, minutes, hours, days, months, weekdays] = sets;
  if (!seconds || !minutes || !hours || !days || !months || !weekdays) return undefined;
  const hasWeekday = (day: Date): boolean => weekdays.has(day.getDay()) || (day.getDay() === 0 && weekdays.has(7));
  const [, , , dayText, , weekdayText] = texts;
  return {
    time: [seconds, minutes, hours],
    hasDay(day) {
      if (!months.has(day.getMonth() + 1)) return false;
      const isDay = days.has(day.getDate());
      // If both fields are set, one match is enough.
      return isAny(dayText) || isAny(weekdayText) ? isDay && hasWeekday(day) : isDay || hasWeekday(day);
    },
  };
}

/** @param atMs milliseconds since 1970 */
export function isDue({ time: [seconds, minutes, hours], hasDay }: Schedule, atMs: number): boolean {
  const at = new Date(atMs);
  return hasDay(at) && hours.has(at.getHours()) && minutes.has(at.getMinutes()) && seconds.has(at.getSeconds());
}

export function nextDue(schedule: Schedule, afterMs: number): number | undefined {
  const midnight = new Date(afterMs).setHours(0, 0, 0, 0);
  for (let count = 0; count <= MAX_DAYS; count += 1) {
    // Noon, because a day may have 23 or 25 hours.
    const day = new Date(midnight + count * DAY_MS + DAY_MS / 2);
    const atMs = schedule.hasDay(day) ? firstTimeOn(schedule, day, afterMs) : undefined;
    if (atMs !== undefined) return atMs;
  }
  return undefined;
}

function firstTimeOn({ time: [seconds, minutes, hours] }: Schedule, day: Date, afterMs: number): number | undefined {
  const times = [...hours].flatMap((hour) =>
    [...minutes].flatMap((minute) => [...seconds].map((second) => new Date(day).setHours(hour, minute, second, 0))),
  );
  return times.find((atMs) => atMs > afterMs);
}

function isAny(text: string | undefined): boolean {
  return text === "*" || text === "?";
}

interface Field {
  readonly from: number;
  readonly to: number;
  readonly names?: readonly string[];
}

function parseField(text: string, field: Field): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [, range = "", step] = /^([^/]+)(?:\/(\d{1,4}))?$/.exec(part) ?? [];
    const [from, to] = parseRange(range, field, step !== undefined) ?? [];
    const by = Number(step ?? 1);
    if (from === undefined || to === undefined || by < 1) return undefined;
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return new Set([...values].toSorted((a, b) => a - b));
}

function parseRange(text: string, field: Field, hasStep: boolean): readonly [number, number] | undefined {
  if (isAny(text)) return [field.from, field.to];
  const [first = "", last, more] = text.split("-");
  const from = parseNumber(first, field);
  const to = last === undefined ? (hasStep ? field.to : from) : parseNumber(last, field);
  if (from === undefined || to === undefined || more !== undefined || from > to) return undefined;
  return [from, to];
}

function parseNumber(text: string, { from, to, names = [] }: Field): number | undefined {
  const named = names.indexOf(text);
  const value = named === -1 ? (/^\d{1,4}$/.test(text) ? Number(text) : Number.NaN) : named + from;
  return value >= from && value <= to ? value : undefined;
}
