/** Formats numbers and times. An unknown value is a dash, never 0. */
export { pluralize } from "../../core/words/text.ts";

export const UNKNOWN = "–";

const BYTE_UNITS = ["B", "KB", "MB", "GB", "TB"] as const;

/** `195 MB`: three digits, steps of 1024. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return UNKNOWN;
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit]}`;
}

export function formatRate(bytesPerSecond: number | null | undefined): string {
  if (bytesPerSecond === null || bytesPerSecond === undefined) return UNKNOWN;
  return `${formatBytes(bytesPerSecond)}/s`;
}

export function formatNumber(value: number | null | undefined, digits = 1): string {
  return value === null || value === undefined ? UNKNOWN : value.toFixed(digits);
}

export function formatPercent(value: number | null | undefined, digits = 1): string {
  return value === null || value === undefined ? UNKNOWN : `${value.toFixed(digits)}%`;
}

/** `35.6%`, `50%`: three digits at most, without trailing zeros. */
export function formatShare(percent: number): string {
  return `${Number(percent.toPrecision(3))}%`;
}

const SPANS = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;

/** `1d 7h`, `2h 0m`, `5s`: the two largest units. */
export function formatDuration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return UNKNOWN;
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const at = SPANS.findIndex(([, size]) => seconds >= size);
  if (at === -1) return "0s";
  const [unit, size] = SPANS[at] ?? ["s", 1];
  const next = SPANS[at + 1];
  const first = `${Math.floor(seconds / size)}${unit}`;
  return next === undefined ? first : `${first} ${Math.floor((seconds % size) / next[1])}${next[0]}`;
}

/** `2026-11-21 04:02:30`, in the time zone of the browser. */
export function formatTime(timestamp: string | number): string {
  const at = new Date(timestamp);
  if (Number.isNaN(at.getTime())) return String(timestamp);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace("T", " ");
}

/** The server writes the times of its sentences in UTC. */
export function inLocalTime(sentence: string): string {
  return sentence.replaceAll(/\d{4}-[\d-]+T[\d:.]+Z/g, formatTime);
}

export function capitalize(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
