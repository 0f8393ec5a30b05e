/** The files of the history: one for each hour in UTC, and two when the hour is over. */

const HOUR_MS = 3_600_000;

/** `open` grows; `steps` and `minutes` are gzipped. */
export type PartKind = keyof typeof ENDINGS;

export interface Part {
  readonly name: string;
  readonly hour: string;
  readonly kind: PartKind;
  readonly bytes: number;
}

/** For example `2026-11-22T04`. */
export function hourOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 13);
}

const ENDINGS = { open: ".jsonl", steps: ".jsonl.gz", minutes: ".minutes.jsonl.gz" } as const;
const NAME = /^(\d{4}-\d\d-\d\dT\d\d)(\.[a-z.]+)$/;

export function nameOf(hour: string, kind: PartKind): string {
  return `${hour}${ENDINGS[kind]}`;
}

/** Returns `undefined` if svcm did not name the file. */
export function partOf(name: string, bytes: number): Part | undefined {
  const [, hour = "", ending = ""] = NAME.exec(name) ?? [];
  const kind = (Object.keys(ENDINGS) as PartKind[]).find((one) => ENDINGS[one] === ending);
  return kind && { name, hour, kind, bytes };
}

export interface Limits {
  readonly stepHours: number;
  readonly minuteHours: number;
  readonly maxBytes: number;
}

/** Keeps steps for seven days and minutes for ninety. */
export const LIMITS: Limits = { stepHours: 7 * 24, minuteHours: 90 * 24, maxBytes: 64 * 2 ** 20 };

/**
 * The parts to delete. Counts recorded hours instead of comparing with the clock, because a clock that is wrong for a
 * moment must not empty the history. Above `maxBytes`, the oldest hours are deleted.
 */
export function outdated(parts: readonly Part[], { stepHours, minuteHours, maxBytes }: Limits): Part[] {
  const newestFirst = parts.filter(({ kind }) => kind !== "open").toSorted((a, b) => (a.hour < b.hour ? 1 : -1));
  const most = { steps: stepHours, minutes: minuteHours };
  const counts = { steps: 0, minutes: 0 };
  let bytes = sizeOf(parts.filter(({ kind }) => kind === "open"));
  return newestFirst.filter(({ kind, bytes: own }) => {
    if (kind === "open") return false;
    counts[kind] += 1;
    bytes += own;
    return counts[kind] > most[kind] || bytes > maxBytes;
  });
}

export function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

export function startOf({ hour }: Part): number {
  return Date.parse(`${hour}:00:00Z`);
}

/**
 * The parts to read for a span, oldest first: for each hour those of the wanted kind, or those of the other kind if
 * only these are left.
 */
export function chosenParts(
  parts: readonly Part[],
  { fromMs, toMs, wanted }: { readonly fromMs: number; readonly toMs: number; readonly wanted: "steps" | "minutes" },
): Part[] {
  const inSpan = parts.filter((part) => startOf(part) < toMs && startOf(part) + HOUR_MS > fromMs);
  const hours = new Map<string, Part[]>();
  for (const part of inSpan) hours.set(part.hour, [...(hours.get(part.hour) ?? []), part]);
  return [...hours.values()]
    .flatMap((ofHour) => {
      const sealed = ofHour.find(({ kind }) => kind === wanted) ?? ofHour.find(({ kind }) => kind !== "open");
      return ofHour.filter((part) => part === sealed || part.kind === "open");
    })
    .toSorted((a, b) => (a.hour < b.hour ? -1 : 1));
}
