import { isRecord, parseRecord } from "../../words/record.ts";

interface Size {
  readonly atMs: number;
  readonly bytes: number;
}

/** Two looks at a log. The older one is replaced when the younger one is an hour old. */
interface Sizes {
  readonly ino: number;
  readonly older: Size;
  readonly younger: Size;
}

export type KeptSizes = ReadonlyMap<string, Sizes>;

/** A shorter time says little. */
const MIN_AGE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MAX_LOGS = 10_000;

export function parseSizes(text: string | undefined): KeptSizes {
  const { logs } = parseRecord(text ?? "") ?? {};
  if (!isRecord(logs)) return new Map();
  return new Map(Object.entries(logs).filter(([, value]) => isRecord(value)) as [string, Sizes][]);
}

export function formatSizes(sizes: KeptSizes): string {
  return JSON.stringify({ version: 1, logs: Object.fromEntries([...sizes].slice(0, MAX_LOGS)) });
}

interface Seen {
  readonly path: string;
  readonly ino: number;
  readonly bytes: number;
}

/** A log that became smaller, or that is another file, has no known growth. */
export function addSizes(kept: KeptSizes, logs: readonly Seen[], atMs: number): KeptSizes {
  return new Map(
    logs.map(({ path, ino, bytes }) => {
      const now = { atMs, bytes };
      const sizes = kept.get(path);
      if (sizes?.ino !== ino || bytes < sizes.younger.bytes || atMs < sizes.younger.atMs)
        return [path, { ino, older: now, younger: now }];
      return [path, atMs - sizes.younger.atMs < HOUR_MS ? sizes : { ino, older: sizes.younger, younger: now }];
    }),
  );
}

/** The cut bytes had been written, so the earlier sizes become smaller, too. */
export function subtractCut(kept: KeptSizes, path: string, cut: number): KeptSizes {
  const sizes = kept.get(path);
  if (sizes === undefined) return kept;
  const { ino, older, younger } = sizes;
  const less = (size: Size): Size => ({ ...size, bytes: size.bytes - cut });
  return new Map(kept).set(path, { ino, older: less(older), younger: less(younger) });
}

export function earlierSize(kept: KeptSizes, { path, ino, bytes }: Seen, atMs: number): Size | null {
  const sizes = kept.get(path);
  if (sizes?.ino !== ino || bytes < sizes.younger.bytes || atMs - sizes.older.atMs < MIN_AGE_MS) return null;
  return sizes.older;
}
