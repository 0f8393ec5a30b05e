import { SvcmError } from "../../core/index.ts";
import { parseDuration } from "../../core/words/duration.ts";

const LEAST_MS = 1_000;
const MOST_MS = 3_600_000;
const MOST_LIFETIME_MS = 3650 * 86_400_000;

/** Converts, for example, `90s` or `2m` to milliseconds. @throws {SvcmError} INVALID_REQUEST */
export function readTimeout(given: string | undefined, flag = "--timeout"): number | undefined {
  if (given === undefined) return undefined;
  const ms = parseDuration(given, /^(\d{1,6})([smh])$/);
  if (ms !== undefined && ms >= LEAST_MS && ms <= MOST_MS) return ms;
  throw new SvcmError("INVALID_REQUEST", {
    details: `${flag}: ${JSON.stringify(given.slice(0, 40))} is not a time. Accepted: 1s to 1h, such as 90s or 2m.`,
  });
}

/** Converts, for example, `12h` or `30d` to milliseconds. @throws {SvcmError} INVALID_REQUEST */
export function readLifetime(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ms = parseDuration(given, /^(\d{1,4})([mhd])$/);
  if (ms !== undefined && ms > 0 && ms <= MOST_LIFETIME_MS) return ms;
  throw new SvcmError("INVALID_REQUEST", {
    details: `--expires: ${JSON.stringify(given.slice(0, 40))} is not a time. Accepted: 1m to 3650d, such as 12h or 30d.`,
  });
}

/** @param effect the first sentence of the help */
export function sinceOptions(effect: string): { readonly summary: string } {
  return { summary: `${effect} Takes an age such as 30m, 24h or 7d, or a date such as 2026-01-31.` };
}

/** Converts `30m`, `24h`, `7d` or a date to milliseconds since 1970. @throws {SvcmError} INVALID_REQUEST */
export function readSince(given: string, now: number, flag = "--since"): number {
  const age = parseDuration(given, /^(\d{1,6})([smhd])$/);
  if (age !== undefined) return Math.max(0, now - age);
  const at = /^\d{4}-\d\d-\d\d/.test(given) ? Date.parse(given) : Number.NaN;
  if (at >= 0) return at;
  throw new SvcmError("INVALID_REQUEST", {
    details: `${flag}: ${JSON.stringify(given.slice(0, 40))} is not a time. Accepted: an age such as 30m, 24h or 7d, or a date such as 2026-01-31 or 2026-01-31T08:00:00Z.`,
  });
}
