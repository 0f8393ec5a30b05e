/** One file for each hour in UTC, and two when the hour is over. */
const HOUR_MS = 3_600_000;

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

export function partName(hour: string, kind: PartKind): string {
  return `${hour}${ENDINGS[kind]}`;
}

/** Returns `undefined` if svcm did not name the file. */
export function parsePartName(name: string, bytes: number): Part | undefined {
  const [, hour = "", ending = ""] = NAME.exec(name) ?? [];
  const kind = (Object.keys(ENDINGS) as PartKind[]).find((one) => ENDINGS[one] === ending);
  return kind && { name, hour, kind, bytes };
}

export interface Limits {
  readonly stepHours: number;
  readonly minuteHours: number;
  readonly maxBytes: number;
}

export const LIMITS: Limits = { stepHours: 7 * 24, minuteHours: 90 * 24, maxBytes: 64 * 2 ** 20 };

/** Recorded hours count, not the clock, because a clock that is wrong for a moment must not empty the history. */
export function findOutdatedParts(parts: readonly Part[], { stepHours, minuteHours, maxBytes }: Limits): Part[] {
  const newestFirst = parts.toSorted((a, b) => (a.hour < b.hour ? 1 : -1));
  const maxHours = { steps: stepHours, minutes: minuteHours };
  const counts = { steps: 0, minutes: 0 };
  let bytes = sizeOf(parts.filter(({ kind }) => kind === "open"));
  return newestFirst.filter(({ kind, bytes: size }) => {
    if (kind === "open") return false;
    counts[kind] += 1;
    bytes += size;
    return counts[kind] > maxHours[kind] || bytes > maxBytes;
  });
}

export function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

export function startOf({ hour }: Part): number {
  return Date.parse(`${hour}:00:00Z`);
}

/** Oldest first. Parts of the other kind fill in if only these are left. */
export function selectParts(
  parts: readonly Part[],
  { fromMs, toMs, wanted }: { readonly fromMs: number; readonly toMs: number; readonly wanted: "steps" | "minutes" },
): Part[] {
  const partsInSpan = parts.filter((part) => startOf(part) < toMs && startOf(part) + HOUR_MS > fromMs);
  const hours = new Map<string, Part[]>();
  for (const part of partsInSpan) hours.set(part.hour, [...(hours.get(part.hour) ?? []), part]);
  return [...hours.values()]
    .flatMap((ofHour) => {
      const sealed = ofHour.find(({ kind }) => kind === wanted) ?? ofHour.find(({ kind }) => kind !== "open");
      return ofHour.filter((part) => part === sealed || part.kind === "open");
    })
    .toSorted((a, b) => (a.hour < b.hour ? -1 : 1));
}
