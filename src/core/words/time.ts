import { SvcmError } from "../api/errors.ts";

/** When a clock is set back, a local time occurs twice. */
export interface LocalMoment {
  readonly atMs: number;
  /** The second of the two; absent if the time occurs once. */
  readonly laterMs?: number | undefined;
}

const MINUTE_MS = 60_000;
/** By which clocks are set back. */
const SHIFT_MINUTES = [60, 30, 120];

/** @param text a date and a time without a zone. A time that the clock skips is read as if it had not been set yet */
export function readLocalTime(text: string): LocalMoment | undefined {
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs)) return undefined;
  const offset = new Date(atMs).getTimezoneOffset();
  const shift = SHIFT_MINUTES.find(
    (minutes) => new Date(atMs + minutes * MINUTE_MS).getTimezoneOffset() - offset === minutes,
  );
  return shift === undefined ? { atMs } : { atMs, laterMs: atMs + shift * MINUTE_MS };
}

/**
 * Corrects times that were read as this machine's, although another zone's clock showed them. `undefined` for a zone
 * that nothing here knows.
 */
export function fromZone(zone: string): ((atMs: number) => number) | undefined {
  const offsetOf = offsets(zone);
  if (offsetOf === undefined) return undefined;
  return (atMs) => {
    const wallMs = atMs - new Date(atMs).getTimezoneOffset() * MINUTE_MS;
    // The second time with the offset of the moment itself, which matters around a change of the clock.
    return wallMs - offsetOf(wallMs - offsetOf(wallMs));
  };
}

function offsets(timeZone: string): ((atMs: number) => number) | undefined {
  try {
    const fields = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
    const format = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...fields });
    return (atMs) => {
      const parts = format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]);
      const { year, month, day, hour, minute } = Object.fromEntries(parts) as Record<string, number>;
      const wallMs = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute);
      return wallMs - Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
    };
  } catch {
    return undefined;
  }
}

const DATE = /^\d{4}-\d\d-\d\d/;
const DATE_ONLY = /^\d{4}-\d\d-\d\d$/;
const ZONE = /(?:Z|[+-]\d\d:?\d\d)$/i;

/** A date alone is its first moment. Without `Z` or an offset, a date and a time are those of the machine's zone. */
export function readMoment(text: string): LocalMoment | undefined {
  if (!DATE.test(text)) return undefined;
  if (DATE_ONLY.test(text)) return isDate(text) ? readLocalTime(`${text}T00:00`) : undefined;
  const isLocal = !ZONE.test(text.slice("2026-01-31".length));
  if (isLocal) return readLocalTime(text.replace(" ", "T"));
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : { atMs };
}

/** `Date.parse` accepts 31 days in every month if a time follows. */
function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

/**
 * Converts `30m`, `24h`, `7d` or a date to milliseconds since 1970. Of a local time that occurs twice, a range begins with
 * the first and ends with the second.
 * @throws {SvcmError} INVALID_REQUEST
 */
export function readSince(text: string, now: number, name = "--since"): number {
  const age = parseDuration(text, /^(\d{1,6})([smhd])$/);
  if (age !== undefined) return Math.max(0, now - age);
  const moment = readMoment(text);
  const at = ENDS_OF_RANGES.has(name) ? (moment?.laterMs ?? moment?.atMs) : moment?.atMs;
  if (at !== undefined && at >= 0) return at;
  const alsoNumber = name.startsWith("-") ? "" : ", or milliseconds since 1970";
  throw new SvcmError("INVALID_REQUEST", {
    details: `${name}: ${JSON.stringify(text.slice(0, 40))} is not a time. Accepted: an age such as 30m, 24h or 7d, or a date such as 2026-01-31 or 2026-01-31T08:00:00Z${alsoNumber}.`,
  });
}

/** Shows each `2026-11-22T03:46:44Z` of a text as this machine's time: `2026-11-22 04:46:44+01:00`. */
export function inLocalTime(text: string): string {
  return text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (utc) => {
    const at = new Date(utc);
    const offset = -at.getTimezoneOffset();
    const local = new Date(at.getTime() + offset * 60_000).toISOString().slice(0, 19).replace("T", " ");
    const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
      `${part}`.padStart(2, "0"),
    );
    return `${local}${offset === 0 ? "Z" : `${offset < 0 ? "-" : "+"}${hours}:${minutes}`}`;
  });
}
const ENDS_OF_RANGES: ReadonlySet<string> = new Set(["--until", "until", "to"]);

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `undefined` for another text. @param form captures the digits and the unit */
export function parseDuration(text: string, form: RegExp): number | undefined {
  const [, digits, unit = ""] = form.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (MILLISECONDS[unit] ?? 0);
}

const SECONDS = [
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
] as const;

/** `3d 4h`, `12m 5s`, `7s` */
export function renderDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const index = SECONDS.findIndex(([, length]) => seconds >= length);
  const largest = SECONDS[index];
  if (largest === undefined) return `${seconds}s`;
  const [unit, length] = largest;
  const [nextUnit, nextLength] = SECONDS[index + 1] ?? (["s", 1] as const);
  return `${Math.floor(seconds / length)}${unit} ${Math.floor((seconds % length) / nextLength)}${nextUnit}`;
}

/** PM2's log has a resolution of one second. Times are in milliseconds since 1970. */

const SECOND_MS = 1000;

export function floorToSecond(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}

/** `2026-11-22T03:46:44Z` */
export function formatSecond(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Ids that begin with the digits of their time, such as `20261122-044103-b8f9`, so a list of them is in order. */

const TIME_DIGITS = 14;

/**
 * Sorts after the newest one, also within a second, and after a clock was set back.
 * @param newest `""` without one
 * @param render the id of a time in milliseconds since 1970
 */
export function createIdAfter(newest: string, nowMs: number, render: (ms: number) => string): string {
  const id = render(nowMs);
  return id > newest ? id : render(timeOfId(newest) + 1000);
}

/** `20261122044103` */
export function timeDigits(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/\D/g, "").slice(0, TIME_DIGITS);
}

function timeOfId(id: string): number {
  const digits = id.replaceAll(/\D/g, "").slice(0, TIME_DIGITS);
  return Date.parse(digits.replace(/^(....)(..)(..)(..)(..)(..)$/, "$1-$2-$3T$4:$5:$6Z"));
}
