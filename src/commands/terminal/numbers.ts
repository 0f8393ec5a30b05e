import { bytesText, SvcmError } from "../../core/index.ts";
import { parseDuration } from "../../core/words/time.ts";

export function formatPercent(value: number | null): string {
  return value === null ? "-" : `${value.toFixed(1)} %`;
}

export function formatBytes(value: number | null): string {
  return value === null ? "-" : bytesText(value);
}

const LEVELS = "▁▂▃▄▅▆▇█";
const FULL = "█";
const PARTS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

export function renderBar(percent: number | null, width: number): string {
  const eighths = Math.round((clamp(percent ?? 0) / 100) * width * 8);
  const text = FULL.repeat(eighths >> 3) + (PARTS[eighths & 7] ?? "");
  return text + "·".repeat(width - text.length);
}

export function renderSparkline(values: readonly (number | null)[], width: number): string {
  return values
    .slice(Math.max(0, values.length - width))
    .map((value) => (value === null ? " " : (LEVELS[Math.min(7, Math.floor(clamp(value) / 12.5))] ?? " ")))
    .join("");
}

function clamp(percent: number): number {
  return Math.min(100, Math.max(0, percent));
}

const MIN_TIMEOUT_MS = 1_000;
const MAX_TIMEOUT_MS = 3_600_000;
const MAX_LIFETIME_MS = 3650 * 86_400_000;
const READ_DEADLINE_MS = 5_000;

/** Converts, for example, `90s` or `2m` to milliseconds. @throws {SvcmError} INVALID_REQUEST */
export function readTimeout(text: string | undefined, flag = "--timeout"): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text, /^(\d{1,6})([smh])$/);
  if (ms !== undefined && ms >= MIN_TIMEOUT_MS && ms <= MAX_TIMEOUT_MS) return ms;
  throw new SvcmError("INVALID_REQUEST", {
    details: `${flag}: ${JSON.stringify(text.slice(0, 40))} is not a time. Accepted: 1s to 1h, such as 90s or 2m.`,
  });
}

export function readDeadline(text: string | undefined, defaultMs = READ_DEADLINE_MS): number {
  return readTimeout(text, "--deadline") ?? defaultMs;
}

/** Converts, for example, `12h` or `30d` to milliseconds. @throws {SvcmError} INVALID_REQUEST */
export function readLifetime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text, /^(\d{1,4})([mhd])$/);
  if (ms !== undefined && ms > 0 && ms <= MAX_LIFETIME_MS) return ms;
  throw new SvcmError("INVALID_REQUEST", {
    details: `--expires: ${JSON.stringify(text.slice(0, 40))} is not a time. Accepted: 1m to 3650d, such as 12h or 30d.`,
  });
}

/** @param effect the first sentence of the help */
export function sinceOptions(effect: string): { readonly summary: string } {
  return {
    summary: `${effect} Takes an age such as 30m, 24h or 7d, or a date and a time such as 2026-01-31 or 2026-01-31T08:00, local without Z or an offset.`,
  };
}
