import type { ProcessProblem } from "../api/metrics.ts";
import type { ProcessRecord } from "./process-record.ts";

export interface ProblemContext {
  readonly missingFolders: ReadonlySet<string>;
  readonly epochMs: number;
  readonly observed?: ObservedRestarts | undefined;
}

const MIN_LOOP_RESTARTS = 3;
/** Average, if svcm did not watch the restarts itself. */
const MAX_LOOP_INTERVAL_MS = 60_000;
/** A longer run ends a crash loop. The restart count includes requested restarts. */
const MAX_SHORT_RUN_MS = 15_000;
/** The longest time that PM2 needs for a requested restart, unless the app declares longer timeouts. */
const MAX_REQUESTED_RESTART_MS = 5000;

export function workingFolders(records: readonly Pick<ProcessRecord, "cwd">[]): Set<string> {
  return new Set(records.flatMap(({ cwd }) => (cwd === null ? [] : [cwd])));
}

export function findProblem(record: ProcessRecord, context: ProblemContext): ProcessProblem | null {
  return folderMissing(record, context) ?? withoutPid(record) ?? crashLoop(record, context);
}

export function isWithoutPid({ status, pid }: Pick<ProcessRecord, "status" | "pid">): boolean {
  return status === "online" && pid === null;
}

function folderMissing({ cwd, status, pid }: ProcessRecord, { missingFolders }: ProblemContext): ProcessProblem | null {
  if (cwd === null || !missingFolders.has(cwd)) return null;
  const consequence = isWithoutPid({ status, pid })
    ? "PM2 shows it as online, but it does not run."
    : "Its next start fails.";
  return { code: "PROCESS_FOLDER_MISSING", details: `The folder ${cwd} does not exist. ${consequence}` };
}

function withoutPid(record: ProcessRecord): ProcessProblem | null {
  if (!isWithoutPid(record)) return null;
  return { code: "PROCESS_WITHOUT_PID", details: "PM2 shows it as online, but it does not run: it has no pid." };
}

function crashLoop(record: ProcessRecord, context: ProblemContext): ProcessProblem | null {
  const { status } = record;
  if (status === "stopped" || status === "stopping" || status === "errored") return null;
  const details = observedLoop(record, context) ?? recordedLoop(record, context);
  return details === undefined ? null : { code: "PROCESS_CRASH_LOOP", details };
}

function observedLoop({ exitCode }: ProcessRecord, { observed }: ProblemContext): string | undefined {
  const count = observed?.atMs.length ?? 0;
  if (count < MIN_LOOP_RESTARTS) return undefined;
  return `It ended by itself and was restarted ${count} times in the last 15 minutes${exitCodeText(exitCode)}.`;
}

function recordedLoop(record: ProcessRecord, { epochMs }: ProblemContext): string | undefined {
  const { restartCount, createdAt, lastStartAt, exitCode, status } = record;
  if (restartCount < MIN_LOOP_RESTARTS || createdAt === null || lastStartAt === null || !exitCode) return undefined;
  const isWaiting = status === "waiting restart";
  if (!isWaiting && lastStartAt - createdAt < MAX_REQUESTED_RESTART_MS) return undefined;
  const intervalMs = (epochMs - createdAt) / restartCount;
  const runMs = isWaiting ? 0 : epochMs - lastStartAt;
  const isShort = runMs >= 0 && runMs <= Math.max(MAX_SHORT_RUN_MS, 2 * intervalMs);
  if (!isShort || intervalMs > MAX_LOOP_INTERVAL_MS) return undefined;
  return `It ended by itself${exitCodeText(exitCode)} a short time ago, and PM2 counts ${restartCount} restarts.`;
}

function exitCodeText(exitCode: number | null): string {
  return exitCode === null ? "" : ` with exit code ${exitCode}`;
}

interface ObservedRestarts {
  readonly uniqueId: string | null;
  /** PM2 does not change it for restarts that were not requested. */
  readonly createdAt: number | null;
  readonly restartCount: number;
  readonly atMs: readonly number[];
}

export type RestartObservations = ReadonlyMap<number, ObservedRestarts>;

export const OBSERVED_MS = 15 * 60_000;

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
