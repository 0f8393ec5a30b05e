import { isWithoutPid } from "./state.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { appKind } from "./kind.ts";

const MIN_ENDS = 2;
/** A longer run ends a crash loop, unless the app always runs that long. */
const MAX_SHORT_RUN_MS = 15_000;
/** Longer than PM2 needs for a requested restart, apart from the time that the app may take to end. */
const MAX_REQUESTED_RESTART_MS = 5000;

/**
 * PM2 keeps restarting it, has given up, or could not start it. The exit code does not matter: in cluster mode PM2
 * writes 0 for a crash. A job or a task ends by itself.
 */
export function isFailing(record: ProcessRecord, epochMs: number): boolean {
  const { status, pid, declaration } = record;
  if (appKind(declaration.settings) !== "service") return false;
  if (status === "errored" || status === "waiting restart") return true;
  // Between an end and PM2's own restart.
  if (status === "stopped") return pid !== null;
  return isWithoutPid(record) || isLooping(record, epochMs);
}

function isLooping(record: ProcessRecord, epochMs: number): boolean {
  const { restartCount, createdAt, lastStartAt } = record;
  if (createdAt === null || lastStartAt === null || !isRestartedByPm2(record, lastStartAt - createdAt)) return false;
  const intervalMs = (epochMs - createdAt) / Math.max(1, restartCount);
  return epochMs - lastStartAt <= Math.max(MAX_SHORT_RUN_MS, 2 * intervalMs);
}

/** A requested restart or reload resets the time of creation, and PM2's own restart does not. */
function isRestartedByPm2({ unstableRestarts, restartCount, declaration }: ProcessRecord, ageMs: number): boolean {
  if (unstableRestarts >= MIN_ENDS) return true;
  const endMs = Number(declaration.settings.killTimeout ?? 0);
  return restartCount >= MIN_ENDS && ageMs > MAX_REQUESTED_RESTART_MS + endMs;
}
