const STAMP = /^\[?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,3})\d{0,6})?\s?(Z|[+-]\d\d:?\d\d)?\]?:?(?:\s+|$)/;

export interface Stamped {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly rest: string;
}

/**
 * The time at the beginning of a line, as PM2's `time: true` and most loggers write it, and the rest. A time without a zone is
 * local.
 */
export function stampOf(line: string): Stamped | undefined {
  const match = STAMP.exec(line);
  if (match === null) return undefined;
  const [whole, date = "", time = "", fraction = "", zone = ""] = match;
  const atMs = Date.parse(`${date}T${time}.${fraction.padEnd(3, "0")}${zone.replace(/(\d\d)(\d\d)$/, "$1:$2")}`);
  return Number.isNaN(atMs) ? undefined : { atMs, rest: line.slice(whole.length) };
}

/** Smaller numbers of a logger are seconds, and larger ones are not a time. */
const LEAST_MS = 1e11;
const MOST_MS = 1e14;

/** The time that a member of a JSON line has: a date, or seconds or milliseconds since 1970. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === "number" && value >= 0 && value < MOST_MS) return value < LEAST_MS ? value * 1000 : value;
  if (typeof value !== "string") return undefined;
  return stampOf(value)?.atMs;
}
