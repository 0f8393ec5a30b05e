/** `cron_restart`: five fields, or six with seconds first, in the machine's time zone. PM2 says when one is due next. */

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

/** Returns `undefined` for a form that svcm does not support, such as `L`, or `?`, for which PM2 takes the time of its start. */
export function parseSchedule(pattern: string): Schedule | undefined {
  const words = pattern.trim().toLowerCase().split(/\s+/);
  const texts = words.length === 5 ? ["0", ...words] : words;
  if (texts.length !== FIELDS.length) return undefined;
  const sets = FIELDS.map((field, index) => parseField(texts[index] ?? "", field));
  const [seconds, minutes, hours, days, months, weekdays] = sets;
  if (!seconds || !minutes || !hours || !days || !months || !weekdays) return undefined;
  const hasWeekday = (day: Date): boolean => weekdays.has(day.getDay()) || (day.getDay() === 0 && weekdays.has(7));
  return {
    time: [seconds, minutes, hours],
    // PM2's library wants both the day of the month and that of the week, as crontab(5) does not.
    hasDay: (day) => months.has(day.getMonth() + 1) && days.has(day.getDate()) && hasWeekday(day),
  };
}

/** @param atMs milliseconds since 1970 */
export function isDue({ time: [seconds, minutes, hours], hasDay }: Schedule, atMs: number): boolean {
  const at = new Date(atMs);
  return hasDay(at) && hours.has(at.getHours()) && minutes.has(at.getMinutes()) && seconds.has(at.getSeconds());
}

/** Weekdays and dates repeat after 28 years. */
const CYCLE = { from: new Date(2000, 0, 1, 12), days: 28 * 366 };

/** PM2's library looks long for a day such as the 30th of February, and fails if it looks for several of them. */
export function hasNoDay(pattern: string): boolean {
  const schedule = parseSchedule(pattern);
  if (schedule === undefined) return false;
  const { from, days } = CYCLE;
  const dayAt = (offset: number): Date => new Date(from.getFullYear(), from.getMonth(), from.getDate() + offset, 12);
  for (let offset = 0; offset < days; offset += 1) if (schedule.hasDay(dayAt(offset))) return false;
  return true;
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
  if (text === "*") return [field.from, field.to];
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
