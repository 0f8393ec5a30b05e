import type { ProcessRecord } from "../pm2/process-record.ts";
import { appKind } from "./verdict.ts";
import { isEnding, isWithoutPid, type StateOf } from "./state.ts";

/** Before the state says that it is a crash loop. PM2 forgets these at a requested restart. */
const MIN_UNSTABLE_RESTARTS = 2;
/** A longer run ends a crash loop. */
const MAX_SHORT_RUN_MS = 15_000;

/**
 * PM2 keeps restarting it, has given up, or could not start it. PM2's counters alone do not prove a loop: they also
 * count requested restarts, and a start after a stop keeps them. A job or a task ends by itself.
 */
export function isFailing(record: ProcessRecord, epochMs: number, stateOf: StateOf): boolean {
  const { status, declaration } = record;
  if (appKind(declaration.settings) !== "service") return false;
  if (status === "errored" || status === "waiting restart") return true;
  if (status === "stopped") return isEnding(record);
  return isWithoutPid(record) || stateOf(record).isBrief === true || isUnstable(record, epochMs);
}

function isUnstable({ unstableRestarts, lastStartAt }: ProcessRecord, epochMs: number): boolean {
  return unstableRestarts >= MIN_UNSTABLE_RESTARTS && lastStartAt !== null && epochMs - lastStartAt <= MAX_SHORT_RUN_MS;
}
