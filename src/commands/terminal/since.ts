import { SvcmError } from "../../core/index.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Converts `30m`, `24h`, `7d` or a date to milliseconds since 1970. @throws {SvcmError} INVALID_REQUEST */
export function readSince(given: string, now: number): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(given) ?? [];
  if (count !== undefined) return Math.max(0, now - Number(count) * (UNITS[unit] ?? 0));
  const at = /^\d{4}-\d\d-\d\d/.test(given) ? Date.parse(given) : Number.NaN;
  if (at >= 0) return at;
  throw new SvcmError("INVALID_REQUEST", {
    details: `--since: ${JSON.stringify(given.slice(0, 40))} is not a time. Accepted: an age such as 30m, 24h or 7d, or a date such as 2026-01-31 or 2026-01-31T08:00:00Z.`,
  });
}
