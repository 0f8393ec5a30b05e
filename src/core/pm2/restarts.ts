import type { ProcessRecord } from "./process-record.ts";

/** Restarts that PM2 made by itself while somebody looked. */
export interface SeenRestarts {
  readonly uniqueId: string | null;
  /** PM2's own time of the last start or restart that was asked for: one of its own accord keeps it. */
  readonly createdAt: number | null;
  readonly restartCount: number;
  /** When each was seen, on a clock that never jumps; the oldest first. */
  readonly atMs: readonly number[];
}

/** By PM2's number. */
export type RestartWatch = ReadonlyMap<number, SeenRestarts>;

/** Restarts that lie further back are forgotten. */
export const WATCHED_MS = 15 * 60_000;

/**
 * Adds what PM2 lists now to what was seen before. PM2 (7.0.4, `God.resetState`) sets `created_at` anew with each
 * restart that somebody, a watched file, cron or a limit of memory asks for, and keeps it where a process ended by
 * itself: so an increase of the counter beside the same `created_at` is a restart of its own accord.
 *
 * @param nowMs on a clock that never jumps
 */
export function watchRestarts(before: RestartWatch, records: readonly ProcessRecord[], nowMs: number): RestartWatch {
  return new Map(records.map((record) => [record.pmId, seenRestarts(before.get(record.pmId), record, nowMs)]));
}

function seenRestarts(
  before: SeenRestarts | undefined,
  { uniqueId, createdAt, restartCount }: ProcessRecord,
  nowMs: number,
): SeenRestarts {
  const isSame = before?.uniqueId === uniqueId && before.createdAt === createdAt;
  const count = isSame ? Math.max(0, restartCount - before.restartCount) : 0;
  const kept = isSame ? before.atMs.filter((atMs) => nowMs - atMs <= WATCHED_MS) : [];
  return { uniqueId, createdAt, restartCount, atMs: [...kept, ...Array.from({ length: count }, () => nowMs)] };
}
