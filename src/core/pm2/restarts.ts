import type { ProcessRecord } from "./process-record.ts";

export interface SeenRestarts {
  readonly uniqueId: string | null;
  /** PM2's time of the last start or restart on request; other restarts keep it. */
  readonly createdAt: number | null;
  readonly restartCount: number;
  readonly atMs: readonly number[];
}

export type RestartWatch = ReadonlyMap<number, SeenRestarts>;

export const WATCHED_MS = 15 * 60_000;

/**
 * Adds PM2's present list to the restarts that were seen before. PM2 (7.0.4, `God.resetState`) changes `created_at` if a
 * user, a watched file, cron or a memory limit causes the restart, and keeps it if the process ended by itself.
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
