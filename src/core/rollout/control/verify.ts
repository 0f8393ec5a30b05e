import { shellQuote } from "../../words/text.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import type { HasClock } from "../../files/ports.ts";
import type { Code } from "../../api/issue.ts";
import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../api/errors.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { STABLE_MS } from "../../pm2/settings.ts";
import { hasEndedWell, isEnding, isWithoutPid } from "../../running/state.ts";

export const POLL_INTERVAL_MS = 100;
export const DEFAULT_TIMEOUT_MS = 20_000;

const CODES: Readonly<Record<ProcessAction, Code>> = {
  start: "START_VERIFY_FAILED",
  stop: "STOP_VERIFY_FAILED",
  restart: "RESTART_VERIFY_FAILED",
  reload: "RELOAD_VERIFY_FAILED",
  delete: "DELETE_VERIFY_FAILED",
};

export type OnlineMs = (record: ProcessRecord) => number;

interface Observation {
  readonly processes: readonly ProcessRecord[];
  readonly verdict: Verdict;
}

interface VerifyOptions {
  readonly action: ProcessAction;
  readonly name: string;
  readonly timeoutMs?: number | undefined;
}

/**
 * PM2 may be silent for a while on a busy machine. A failure of svcm's own wait would undo what runs well, so only silence
 * at the deadline counts.
 * @param deadlineMs by the clock's elapsed time
 * @throws {SvcmError} PM2_FAILED
 */
export async function listBy(
  { processes, clock }: HasClock & { readonly processes: Pick<HasProcesses["processes"], "list"> },
  deadlineMs: number,
): Promise<readonly ProcessRecord[]> {
  for (;;) {
    try {
      return await processes.list();
    } catch (error) {
      const isSilent = error instanceof SvcmError && error.body.code === "PM2_TIMEOUT";
      if (!isSilent || clock.elapsed() >= deadlineMs) throw error;
      await clock.sleep(POLL_INTERVAL_MS);
    }
  }
}

/** @throws {SvcmError} PROCESS_ACTION_FAILED if the action failed, or is still pending after `timeoutMs` */
export async function verify(
  ports: HasClock & HasProcesses,
  { action, name, timeoutMs = DEFAULT_TIMEOUT_MS }: VerifyOptions,
  observe: (list: readonly ProcessRecord[], onlineMs: OnlineMs) => Observation,
): Promise<readonly ProcessRecord[]> {
  const { clock } = ports;
  const deadline = clock.elapsed() + timeoutMs;
  const runs = new OnlineRuns(ports.processes.queuedMs);
  for (;;) {
    const list = await listBy(ports, deadline);
    const nowMs = clock.elapsed();
    const { processes: observed, verdict } = observe(list, (record) => runs.onlineMs(record, nowMs));
    if (verdict === "done") return observed;
    if (verdict !== "pending") throw verificationFailed(action, name, verdict.failed);
    if (nowMs >= deadline) {
      const statuses = observed.map(({ status }) => status).join(", ") || "not listed";
      throw verificationFailed(action, name, `PM2 still shows it as ${statuses} after ${timeoutMs / 1000} s`);
    }
    await clock.sleep(POLL_INTERVAL_MS);
  }
}

export function verificationFailed(action: ProcessAction, name: string, reason: string): SvcmError {
  return new SvcmError("PROCESS_ACTION_FAILED", {
    code: CODES[action],
    details: `PM2 accepted the ${action} of ${JSON.stringify(name)}, but ${reason}.`,
    hint: `Read why: svcm why ${shellQuote(name)}`,
  });
}

export const STARTED_AGAIN = "PM2 itself started it again meanwhile";
/** PM2 sets the status and the pid of a new process at the same time, so the next look decides. */
const WITHOUT_PID_MS = 300;
export const WITHOUT_PID = "it does not run: PM2 shows it as online, but could not start its process";
/** PM2 counts the restarts that other programs requested, too. No user requests this many in the time of one action. */
const MAX_OTHER_RESTARTS = 2;

export type Verdict = "done" | "pending" | { readonly failed: string };

export type PreviousRun = Pick<ProcessRecord, "status" | "restartCount" | "pid" | "startedAt"> &
  Partial<Pick<ProcessRecord, "lastStartAt">>;

export const NO_PREVIOUS_RUN: PreviousRun = {
  status: "stopped",
  restartCount: 0,
  pid: null,
  startedAt: null,
  lastStartAt: null,
};

/**
 * Even a process that crashes at once is briefly online.
 * @param onlineMs how long this run has been seen online, on a monotonic clock
 */
export function judge(
  action: ProcessAction,
  before: PreviousRun,
  after: ProcessRecord | undefined,
  onlineMs: number,
  stableMs = STABLE_MS,
): Verdict {
  if (action === "delete") return after === undefined ? "done" : { failed: STARTED_AGAIN };
  if (after === undefined) return { failed: "PM2 no longer lists it" };
  if (action === "stop") return judgeStop(before, after);
  if (isWithoutPid(after) && onlineMs >= WITHOUT_PID_MS) return { failed: WITHOUT_PID };
  return judgeStart(action, before, after, onlineMs >= stableMs);
}

/** At most: an app that never rests waits for a processor again and again, and is stable, too. */
const MAX_QUEUED_MS = 4000;

/** PM2's own times depend on a clock that may be set. */
export class OnlineRuns {
  readonly #seen = new Map<
    number,
    { readonly run: string; readonly sinceMs: number; readonly sinceQueuedMs: number }
  >();
  readonly #queuedMs: (pid: number) => number;

  /** @param queuedMs on a busy machine, a process that waits may not have begun to load its script */
  constructor(queuedMs: (pid: number) => number = () => 0) {
    this.#queuedMs = queuedMs;
  }

  /** @param nowMs on a monotonic clock */
  onlineMs({ pmId, status, pid, startedAt, restartCount, isElsewhere }: ProcessRecord, nowMs: number): number {
    const run = JSON.stringify([status, pid, startedAt, restartCount]);
    const previous = this.#seen.get(pmId);
    const queuedMs = pid === null || isElsewhere === true ? 0 : this.#queuedMs(pid);
    if (previous?.run === run)
      return nowMs - previous.sinceMs - Math.min(queuedMs - previous.sinceQueuedMs, MAX_QUEUED_MS);
    this.#seen.set(pmId, { run, sinceMs: nowMs, sinceQueuedMs: queuedMs });
    return 0;
  }
}

export function isRunning({ status }: Pick<ProcessRecord, "status">): boolean {
  return status === "online" || status === "launching";
}

export function isLaunching({ status }: Pick<ProcessRecord, "status">): boolean {
  return status === "launching";
}

/** Between an end and the next launch, PM2 briefly shows a process as stopped, with the pid of the ended run. */
export function isBetweenRuns({ status, pid }: Pick<ProcessRecord, "status" | "pid">): boolean {
  return status === "stopped" && pid !== null;
}

export function isAlreadyDone(action: ProcessAction, before: PreviousRun, now: ProcessRecord): boolean {
  return action !== "stop" && action !== "delete" && isRunning(now) && isAnotherRun(before, now);
}

function isAnotherRun(before: PreviousRun, now: PreviousRun): boolean {
  return now.pid !== before.pid || now.startedAt !== before.startedAt;
}

export function isRestarted(before: PreviousRun, after: ProcessRecord): boolean {
  return isRunning(after) && after.pid !== before.pid;
}

function judgeStop(before: PreviousRun, after: ProcessRecord): Verdict {
  const { status, pid } = after;
  if (isRestarted(before, after)) return { failed: STARTED_AGAIN };
  if (status === "stopped" && pid === null) return "done";
  return status === "errored" ? { failed: "PM2 could not end it: its status is errored" } : "pending";
}

function judgeStart(action: ProcessAction, before: PreviousRun, after: ProcessRecord, isStable: boolean): Verdict {
  // A job or task that is meant to end may have ended already.
  if (hasEndedWell(after, isRunning(before)) && after.lastStartAt !== (before.lastStartAt ?? null)) return "done";
  if (isEnding(after)) return "pending";
  const ended = findEndReason(action, before, after);
  if (ended !== undefined) return { failed: ended };
  const isStarted = action === "start" || isAnotherRun(before, after);
  return isStarted && isUp(after) && isStable ? "done" : "pending";
}

const ENDED_STATUSES = new Set(["stopped", "errored", "waiting restart"]);

function findEndReason(action: ProcessAction, before: PreviousRun, after: ProcessRecord): string | undefined {
  const requestedEnds = action !== "start" && isRunning(before) ? 1 : 0;
  return (
    endedText(after, after.restartCount - before.restartCount - requestedEnds) ??
    (ENDED_STATUSES.has(after.status) ? `its status is ${after.status}${exitCodeText(after)}` : undefined)
  );
}

/** Until PM2 responds, the status of the process means nothing. */
export function findEndDuringReload(before: PreviousRun, now: ProcessRecord): string | undefined {
  return endedText(now, now.restartCount - before.restartCount - 1);
}

function endedText(record: ProcessRecord, times: number): string | undefined {
  if (times <= 0 || isRestartedByOthers(record, times)) return undefined;
  return `it ended right after its start, ${times === 1 ? "once" : `${times} times`} so far${exitCodeText(record)}`;
}

/** A requested restart resets PM2's count of unstable restarts, and an end right after a start raises it. */
function isRestartedByOthers(record: ProcessRecord, times: number): boolean {
  return isUp(record) && record.unstableRestarts === 0 && times <= MAX_OTHER_RESTARTS;
}

export function exitCodeText({ exitCode }: ProcessRecord): string {
  return exitCode === null ? "" : `, last with exit code ${exitCode}`;
}

export function isUp({ status, pid, startedAt }: ProcessRecord): boolean {
  return status === "online" && pid !== null && startedAt !== null;
}
