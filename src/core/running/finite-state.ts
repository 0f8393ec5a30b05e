/** States of processes that have ended, and of those that are meant to end. */
import type { ProcessProblem } from "../api/metrics.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { pluralize } from "../words/text.ts";
import type { LastEnd, NextTime, ProcessFacts, ScheduleFacts, StopFact } from "./facts.ts";
import type { AppKind } from "./code-evidence.ts";

interface Context {
  readonly epochMs: number;
  readonly facts?: ProcessFacts | undefined;
}

type State = {
  readonly name: "waiting" | "ended" | "failed" | "stopped" | "errored" | "given up" | "running" | "online" | "unknown";
  readonly reason: string | null;
  readonly problem: ProcessProblem | null;
  readonly stop?: StopFact | undefined;
  readonly doubt?: string;
};

/** PM2's daemon may be busy, and the clock of its log has a resolution of a second. */
const MISSED_GRACE_MS = 60_000;

/** PM2 has the definition of a task, and no apply runs it. */
export const NOT_RUN_YET = "it has not run yet";

/** The state of a process that does not run. */
export function restingState(record: ProcessRecord, kind: AppKind, context: Context): State {
  if (kind === "job") return waitingState(record, context);
  const stopped = stoppedState(record, context);
  if (stopped !== undefined) return stopped;
  if (kind === "task") return endedTask(record, context);
  const { status, createdAt, restartCount } = record;
  if (status === "errored" || (status === "waiting restart" && createdAt === null)) {
    const count = restartCount === 0 ? "" : ` PM2 counts ${pluralize(restartCount, "restart")}.`;
    const details = `PM2 has given up on it${exitText(record)}, and starts it only on request.${count}`;
    return {
      name: status === "errored" ? "errored" : "given up",
      reason: null,
      problem: { code: "PROCESS_ERRORED", details },
    };
  }
  return endedService(record, context);
}

function stoppedState({ status }: ProcessRecord, { epochMs, facts }: Context): State | undefined {
  const stop = facts?.lastEnd?.stop;
  if (stop === undefined || stop === null || status === "errored") return undefined;
  const by = stop.isSvcm ? `by ${stop.actor ?? "svcm"}` : "by a command to PM2";
  return { name: "stopped", reason: `${by} since ${zonedTime(stop.atMs, epochMs, "UTC")} UTC`, problem: null, stop };
}

/** PM2 leaves a service alone after an exit code of its `stop_exit_codes`. */
function endedService(record: ProcessRecord, { facts }: Context): State {
  const hasStopCodes = typeof record.declaration.settings.stopExitCodes === "string";
  if (hasStopCodes && facts?.lastEnd?.stop === null && facts.lastEnd.code !== null)
    return { name: "ended", reason: `with exit code ${facts.lastEnd.code}, one of its stop_exit_codes`, problem: null };
  return { name: "stopped", reason: null, problem: null };
}

function endedTask(record: ProcessRecord, { facts }: Context): State {
  const failure = runFailure(record, facts);
  if (failure !== undefined) return { name: "failed", reason: failure.reason, problem: failure.problem };
  if (record.lastStartAt === null) return { name: "ended", reason: NOT_RUN_YET, problem: null, doubt: NOT_RUN_YET };
  if (record.execMode === "cluster")
    return {
      name: "unknown",
      reason: "ended; in cluster mode PM2 does not record whether it succeeded",
      problem: null,
    };
  return { name: "ended", reason: null, problem: null };
}

/** Code 0 of cluster mode proves nothing, and PM2 records code 0 for a signal. */
function runFailure(
  record: ProcessRecord,
  facts: ProcessFacts | undefined,
): { readonly reason: string; readonly problem: ProcessProblem } | undefined {
  const how = record.isStopCode ? undefined : describeFailure(record, facts);
  if (how === undefined) return undefined;
  const when = record.lastStartAt === null ? "" : `, which began at ${new Date(record.lastStartAt).toISOString()},`;
  return { reason: how, problem: { code: "JOB_FAILED", details: `Its last run${when} ended ${how}.` } };
}

function describeFailure(record: ProcessRecord, facts: ProcessFacts | undefined): string | undefined {
  const { exitCode, execMode } = record;
  const end: LastEnd | undefined = facts?.lastEnd;
  if (end?.stop) return undefined;
  if (exitCode !== null && exitCode !== 0) return `with exit code ${exitCode}`;
  if (end?.signal && end.signal !== "SIGINT") return `by ${end.signal}`;
  if (execMode === "cluster" && facts?.hasErrorBlock === true) return "probably with an error, which its error log has";
  return undefined;
}

function waitingState(record: ProcessRecord, { epochMs, facts }: Context): State {
  const failure = runFailure(record, facts);
  const problem = failure?.problem ?? missedRun(record, epochMs, facts?.schedule);
  return { name: "waiting", reason: nextText(facts?.schedule, epochMs), problem };
}

export function nextText(schedule: NextTime | undefined, epochMs: number): string | null {
  if (schedule === undefined) return null;
  const { nextMs, zone } = schedule;
  return nextMs === null ? "its schedule has no more times" : `next ${zonedTime(nextMs, epochMs, zone)} ${zone}`;
}

/** A run that was due has not begun: PM2 did not run, or its schedule is not registered. */
function missedRun(
  { lastStartAt }: ProcessRecord,
  epochMs: number,
  schedule: ScheduleFacts | undefined,
): ProcessProblem | null {
  const dueMs = schedule?.dueMs ?? null;
  if (dueMs === null || dueMs + MISSED_GRACE_MS >= epochMs) return null;
  const last =
    lastStartAt === null ? "It has not run yet" : `Its last run began at ${new Date(lastStartAt).toISOString()}`;
  const details = `It was due at ${new Date(dueMs).toISOString()} and did not run. ${last}.`;
  return { code: "JOB_MISSED", details };
}

/** A job or task that runs. A task may run for long, so it counts as any process. */
export function scheduledState(record: ProcessRecord, kind: AppKind, { epochMs, facts }: Context): State {
  const dueMs = facts?.schedule?.dueMs ?? null;
  const isLate = dueMs !== null && dueMs + MISSED_GRACE_MS < epochMs;
  const late = isLate ? `It still runs after its next time, ${new Date(dueMs).toISOString()}.` : undefined;
  const details = facts?.stuck ?? late;
  const problem: ProcessProblem | null = details === undefined ? null : { code: "JOB_STUCK", details };
  if (kind === "task") return { name: "online", reason: null, problem };
  const since = record.startedAt === null ? null : `since ${new Date(record.startedAt).toISOString()}`;
  return { name: "running", reason: since, problem };
}

function exitText({ exitCode }: ProcessRecord): string {
  return exitCode === null ? "" : ` after exit code ${exitCode}`;
}

/** `03:00` within a day, else `2026-11-29 03:00`, as a clock in the zone shows it. */
function zonedTime(atMs: number, nowMs: number, zone: string): string {
  const text = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: Math.floor(atMs / 1000) % 60 === 0 ? "short" : "medium",
  }).format(atMs);
  return Math.abs(atMs - nowMs) < DAY_MS ? text.slice(text.indexOf(" ") + 1) : text;
}

const DAY_MS = 86_400_000;
