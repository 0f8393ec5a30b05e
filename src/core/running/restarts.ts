import type { ProcessRecord } from "../pm2/process-record.ts";
import { pluralize } from "../words/text.ts";

export interface ObservedRestarts {
  readonly uniqueId: string | null;
  /** PM2 does not change it for restarts that were not requested. */
  readonly createdAt: number | null;
  readonly restartCount: number;
  readonly atMs: readonly number[];
}

export type RestartObservations = ReadonlyMap<number, ObservedRestarts>;

export const OBSERVED_MS = 15 * 60_000;
export const MIN_LOOP_RESTARTS = 3;
/** Average, if svcm did not watch the restarts itself. */
const MAX_LOOP_INTERVAL_MS = 60_000;
/** A longer run ends a crash loop. The restart count includes requested restarts. */
export const MAX_SHORT_RUN_MS = 15_000;
/** The longest time that PM2 needs for a requested restart, unless the app declares longer timeouts. */
const MAX_REQUESTED_RESTART_MS = 5000;

/**
 * PM2 (7.0.4, `God.resetState`) keeps `created_at` if the process ended by itself.
 * @param nowMs on a monotonic clock
 */
export function watchRestarts(
  before: RestartObservations,
  records: readonly ProcessRecord[],
  nowMs: number,
): RestartObservations {
  return new Map(records.map((record) => [record.pmId, observeRestarts(before.get(record.pmId), record, nowMs)]));
}

function observeRestarts(
  before: ObservedRestarts | undefined,
  { uniqueId, createdAt, restartCount }: ProcessRecord,
  nowMs: number,
): ObservedRestarts {
  const isSame = before?.uniqueId === uniqueId && before.createdAt === createdAt;
  const count = isSame ? Math.max(0, restartCount - before.restartCount) : 0;
  const recentMs = isSame ? before.atMs.filter((atMs) => nowMs - atMs <= OBSERVED_MS) : [];
  return { uniqueId, createdAt, restartCount, atMs: [...recentMs, ...Array.from({ length: count }, () => nowMs)] };
}

interface LoopEvidence {
  readonly epochMs: number;
  readonly observed?: ObservedRestarts | undefined;
  /** The times of the ends without a request, from PM2's log; `undefined` if it was not read. */
  readonly endsMs?: readonly number[] | undefined;
  readonly upSinceMs?: number | undefined;
}

export interface CrashLoop {
  readonly details: string;
  /** Its runs are short, also the present one, so it does not stay up. */
  readonly isBrief: boolean;
}

/**
 * A process that keeps ending. In cluster mode PM2 records code 0 for an uncaught error, so an exit code decides only
 * where nothing else is known.
 */
export function findCrashLoop(listed: ProcessRecord, evidence: LoopEvidence): CrashLoop | undefined {
  const { epochMs, endsMs, observed, upSinceMs = listed.lastStartAt } = evidence;
  const record = { ...listed, lastStartAt: upSinceMs };
  const seen = observedLoop(record, evidence);
  if (seen !== undefined) return { details: seen, isBrief: isBrief(record, epochMs, observed?.atMs ?? []) };
  const logged = loggedLoop(record, evidence);
  if (logged !== undefined) return { details: logged, isBrief: isBrief(record, epochMs, endsMs ?? []) };
  // Otherwise PM2's log has said how often it ended.
  const recorded = endsMs === undefined ? recordedLoop(record, evidence) : undefined;
  return recorded === undefined ? undefined : { details: recorded, isBrief: true };
}

/** @param endsMs on any clock, oldest first */
function isBrief(record: ProcessRecord, epochMs: number, endsMs: readonly number[]): boolean {
  const last = endsMs.slice(-MIN_LOOP_RESTARTS);
  const intervalMs = ((last.at(-1) ?? 0) - (last[0] ?? 0)) / (MIN_LOOP_RESTARTS - 1);
  return intervalMs <= MAX_LOOP_INTERVAL_MS && isShortRun(record, epochMs, intervalMs / 2);
}

/** A server that has just begun has seen fewer restarts than PM2's log has. */
function observedLoop({ exitCode }: ProcessRecord, { observed, endsMs }: LoopEvidence): string | undefined {
  const count = observed?.atMs.length ?? 0;
  if (count < MIN_LOOP_RESTARTS) return undefined;
  const times = `${endsMs === undefined ? "at least " : ""}${Math.max(count, endsMs?.length ?? 0)} times`;
  return `It ended by itself and was restarted ${times} in the last 15 minutes${exitCodeText(exitCode)}.`;
}

function loggedLoop(record: ProcessRecord, { endsMs = [], epochMs }: LoopEvidence): string | undefined {
  const count = endsMs.length;
  if (count < MIN_LOOP_RESTARTS) return undefined;
  const intervalMs = (epochMs - (endsMs[0] ?? epochMs)) / count;
  if (!isShortRun(record, epochMs, intervalMs)) return undefined;
  return `It ended by itself ${count} times in the last 15 minutes${exitCodeText(record.exitCode)}.`;
}

function recordedLoop(record: ProcessRecord, { epochMs }: LoopEvidence): string | undefined {
  const { restartCount, createdAt, lastStartAt, exitCode, pid, unstableRestarts } = record;
  const hasCounted = restartCount >= MIN_LOOP_RESTARTS;
  if (!hasCounted || createdAt === null || lastStartAt === null) return undefined;
  // PM2 forgets the unstable restarts at a requested one.
  if (!exitCode && unstableRestarts < MIN_LOOP_RESTARTS) return undefined;
  const isWaiting = record.status === "waiting restart" && pid !== null;
  if (!isWaiting && lastStartAt - createdAt < MAX_REQUESTED_RESTART_MS) return undefined;
  const intervalMs = (epochMs - createdAt) / restartCount;
  if (intervalMs > MAX_LOOP_INTERVAL_MS || !(isWaiting || isShortRun(record, epochMs, intervalMs))) return undefined;
  return `It ended by itself${exitCodeText(exitCode)} a short time ago, and PM2 counts ${pluralize(restartCount, "restart")}.`;
}

function isShortRun({ lastStartAt, status }: ProcessRecord, epochMs: number, intervalMs: number): boolean {
  const runMs = status === "waiting restart" ? 0 : epochMs - (lastStartAt ?? epochMs);
  return runMs >= 0 && runMs <= Math.max(MAX_SHORT_RUN_MS, 2 * intervalMs);
}

function exitCodeText(exitCode: number | null): string {
  return exitCode === null ? "" : ` with exit code ${exitCode}`;
}
