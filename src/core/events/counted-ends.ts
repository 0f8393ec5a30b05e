/** Ends that PM2's log does not have, from the counters of PM2's list, the error log, the kernel and svcm's audit log. */

import type { LogCoverage } from "../logs/port-logs.ts";
import { type ErrorTail, withoutPrefix } from "../logs/error-block.ts";
import type { AuditRecord } from "../api/audit-record.ts";
import type { SvcmEvent } from "../api/events.ts";
import { callerText } from "../access/audit-text.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { pluralize } from "../words/text.ts";
import { startMsOf } from "./attribute-events.ts";
import { explainExit, type Verdict } from "./causes.ts";
import { floorToSecond, formatSecond } from "../words/time.ts";
import type { Kernel } from "./sightings.ts";
import type { LogEvent } from "./log-state.ts";

export interface CountedWitnesses {
  /** Of this process, newest first. */
  readonly logged: readonly SvcmEvent[];
  readonly coverage: LogCoverage;
  readonly tail: ErrorTail | undefined;
  /** Newest first. */
  readonly audit: readonly AuditRecord[];
  readonly kernel: Kernel;
  readonly pm2Home: string;
}

export type CountedRecord = Pick<
  ProcessRecord,
  "name" | "pmId" | "pid" | "status" | "execMode" | "restartCount" | "exitCode" | "createdAt" | "lastStartAt"
> & { readonly declaration: { readonly settings: ProcessRecord["declaration"]["settings"] } };

/** PM2 waits at most this long before it restarts a process that backs off. */
const MAX_BACKOFF_MS = 15_000;
const NEAR_MS = 2500;
const DEFAULT_KILL_MS = 1600;
const ENDS: ReadonlySet<SvcmEvent["kind"]> = new Set(["exit", "stop", "restart", "delete"]);

/** The last end, if PM2's log does not have it. */
export function countedEnd(record: CountedRecord, witnesses: CountedWitnesses): SvcmEvent | undefined {
  const { lastStartAt, pmId, name } = record;
  if (lastStartAt === null || !hasEnded(record) || isLogged(record, lastStartAt, witnesses.logged)) return undefined;
  const { tail } = witnesses;
  const lateMs =
    tail !== undefined && tail.lines.length > 0 && tail.writtenMs > lastStartAt ? tail.writtenMs : undefined;
  const atMs = floorToSecond(isUp(record) ? lastStartAt : (lateMs ?? lastStartAt));
  const { evidence, ...end } =
    bySvcm(record, lastStartAt, witnesses) ?? byItself(record, { ...witnesses, lastStartAt });
  return {
    at: new Date(atMs).toISOString(),
    app: name,
    pmId,
    kind: "exit",
    ...(record.exitCode !== null && { exitCode: record.exitCode }),
    ...end,
    evidence: [...evidence, counterSentence(record), coverageSentence(witnesses.coverage)],
  };
}

function isUp({ pid, status }: CountedRecord): boolean {
  return pid !== null && status !== "stopped" && status !== "errored" && status !== "waiting restart";
}

/** PM2 counts a restart for each end that it did not leave at that. */
function hasEnded({ restartCount, exitCode }: CountedRecord): boolean {
  return restartCount > 0 || exitCode !== null;
}

function isLogged(record: CountedRecord, lastStartAt: number, logged: readonly SvcmEvent[]): boolean {
  const own = logged.filter(({ pmId }) => pmId === record.pmId);
  const isAfter = (fromMs: number) => own.some(({ kind, at }) => ENDS.has(kind) && Date.parse(at) >= fromMs);
  if (!isUp(record)) return isAfter(lastStartAt - 1000);
  const { restartDelay } = record.declaration.settings;
  const delayMs = Math.max(MAX_BACKOFF_MS, Number(restartDelay ?? 0) || 0);
  const isStartLogged = own.some(
    ({ kind, at }) => kind === "start" && Math.abs(Date.parse(at) - lastStartAt) <= NEAR_MS,
  );
  return isStartLogged || isAfter(lastStartAt - delayMs - NEAR_MS);
}

type Found = Verdict & Partial<Pick<SvcmEvent, "kind" | "actor" | "auditId">>;

const KINDS: Readonly<Record<string, SvcmEvent["kind"]>> = {
  "process.restart": "restart",
  "process.reload": "restart",
  "process.stop": "stop",
};

/** A requested start sets the time of creation, so an action that has it is the last cause. */
function bySvcm(record: CountedRecord, lastStartAt: number, { audit, pm2Home }: CountedWitnesses): Found | undefined {
  const action = audit.find(
    (one) =>
      one.outcome === "succeeded" &&
      one.code === undefined &&
      KINDS[one.action] !== undefined &&
      (one.processes ?? []).some(
        ({ name, pmId, pm2Home: home }) => home === pm2Home && name === record.name && pmId === record.pmId,
      ) &&
      explains(one, record, lastStartAt),
  );
  if (action === undefined) return undefined;
  const actor = callerText(action);
  return {
    kind: KINDS[action.action] ?? "restart",
    cause: "svcm",
    certainty: "certain",
    evidence: [`svcm's audit log has ${action.action} by ${actor} at that time.`],
    actor,
    auditId: action.id,
  };
}

function explains(action: AuditRecord, record: CountedRecord, lastStartAt: number): boolean {
  const endMs = Date.parse(action.timestamp);
  if (action.action === "process.stop") return record.status === "stopped" && endMs >= lastStartAt;
  const { createdAt } = record;
  const fromMs = startMsOf(action);
  const isWithin = (ms: number): boolean => ms >= fromMs && ms <= endMs;
  return createdAt !== null && isUp(record) && isWithin(createdAt) && isWithin(lastStartAt);
}

function byItself(
  record: CountedRecord,
  { tail, kernel, lastStartAt }: CountedWitnesses & { readonly lastStartAt: number },
): Found {
  const { exitCode } = record;
  if (exitCode !== null) {
    // Without PM2's log, a command may have come before it.
    const { cause, certainty } = explainExit(exitCode, undefined);
    return found(cause, certainty, `It ended with exit code ${exitCode}.`);
  }
  const isNear = (ms: number): boolean =>
    isUp(record) ? isWrittenAt(ms, floorToSecond(lastStartAt)) : ms > lastStartAt;
  if (tail !== undefined && tail.lines.length > 0 && isNear(tail.writtenMs))
    return found("crash", "likely", "It wrote to its error log in that second.");
  if (isUp(record) && kernel.logged?.some(({ atMs }) => Math.abs(atMs - lastStartAt) <= NEAR_MS))
    return found("oom-kill", "likely", "The kernel's log has an out-of-memory kill at that time.");
  return byCounters(record, lastStartAt);
}

function byCounters(record: CountedRecord, lastStartAt: number): Found {
  const { execMode, createdAt, status } = record;
  const killMs = Number(record.declaration.settings.killTimeout ?? DEFAULT_KILL_MS) || DEFAULT_KILL_MS;
  const isRestarted = createdAt !== null && isUp(record) && lastStartAt - createdAt > killMs + NEAR_MS;
  if (execMode === "cluster" && (isRestarted || status === "errored"))
    return found("crash", "likely", isRestarted ? "PM2 restarted it without a request." : "PM2 gave up on it.");
  return found("unknown", "unknown", "PM2's list has no code of its end.");
}

function found(cause: Verdict["cause"], certainty: Verdict["certainty"], ...evidence: string[]): Found {
  return { cause, certainty, evidence };
}

export function counterSentence({ restartCount, exitCode, createdAt }: CountedRecord): string {
  const code = exitCode === null ? "" : `; the last end had exit code ${exitCode}`;
  const since = createdAt === null ? "" : `. Its last requested start was at ${formatSecond(createdAt)}`;
  return `PM2's list counts ${pluralize(restartCount, "restart")}${code}${since}.`;
}

export function coverageSentence({ exists, fromMs }: LogCoverage): string {
  if (!exists) return "There is no pm2.log, as under pm2-runtime, so nothing records each end.";
  if (fromMs === null) return "pm2.log has no line that svcm can read: `pm2 flush` empties it.";
  return `pm2.log has nothing before ${formatSecond(fromMs)}.`;
}

interface KnownEnds {
  readonly coverage: LogCoverage;
  readonly sinceMs: number;
  /** False if PM2 did not answer, or this user may not ask it. */
  readonly isListKnown: boolean;
}

/** Says why no end is shown, and since when that is known. */
export function noEndSentence(
  name: string,
  records: readonly CountedRecord[],
  { coverage, sinceMs, isListKnown }: KnownEnds,
): string {
  const { exists, fromMs } = coverage;
  if (records.length === 0) {
    const list = isListKnown ? `PM2 does not list ${name}` : "PM2's list could not be read";
    if (!exists || fromMs === null) return `${list}. ${coverageSentence(coverage)}`;
    return `pm2.log shows no end of ${name} since ${formatSecond(Math.max(fromMs, sinceMs))}, and ${list}.`;
  }
  const restarts = records.reduce((sum, { restartCount }) => sum + restartCount, 0);
  const counter = restarts === 0 ? "counts no restart" : `counts ${pluralize(restarts, "restart")}`;
  const beganMs = Math.min(...records.map(({ createdAt, lastStartAt }) => createdAt ?? lastStartAt ?? Infinity));
  // PM2 creates a process in the second in which it logs the start.
  if (fromMs !== null && floorToSecond(fromMs) <= beganMs) {
    const knownMs = Math.max(fromMs, sinceMs);
    const before = restarts === 0 ? "" : ", which were before";
    return `No end since ${formatSecond(knownMs)}: pm2.log shows none, and PM2's list ${counter}${before}.`;
  }
  const starts = records.flatMap(({ lastStartAt }) => lastStartAt ?? []);
  const last = starts.length === 0 ? "" : ` since its last start at ${formatSecond(Math.max(...starts))}`;
  return `No end is known${last}. PM2's list ${counter}. ${coverageSentence(coverage)}`;
}

const HEAP = /heap out of memory|OOMErrorHandler|^<--- Last few GCs --->/;
/** Times of collections and native frames. */
const REPORT = /^\s*(?:$|\d+: |-{3}|<---|\[\d+:0x|FATAL ERROR)/;
/** PM2's log has a resolution of one second, and V8 writes directly before the end. */
const WRITE_DELAY_MS = 2000;
/** Each error log is read for the last end of its process only. */
const MAX_LOGS = 20;

export async function explainHeapErrors(
  events: readonly LogEvent[],
  tailOf: (process: LogEvent["event"]) => Promise<ErrorTail | undefined>,
): Promise<readonly LogEvent[]> {
  const last = new Map<number, LogEvent>();
  for (const logged of events) if (isEnd(logged)) last.set(logged.event.pmId ?? -1, logged);
  const aborted = [...last.values()].filter(({ event }) => event.signal === "SIGABRT").slice(0, MAX_LOGS);
  const explained = new Map<LogEvent, LogEvent>();
  for (const logged of aborted) {
    const tail = await tailOf(logged.event).catch(() => undefined);
    if (tail !== undefined) explained.set(logged, explainFromTail(logged, tail));
  }
  return explained.size === 0 ? events : events.map((logged) => explained.get(logged) ?? logged);
}

function explainFromTail(logged: LogEvent, { lines, writtenMs }: ErrorTail): LogEvent {
  const at = lines.findLastIndex((line) => HEAP.test(line));
  if (at === -1) return logged;
  const { atMs, event } = logged;
  const isLast = lines.slice(at + 1).every((line) => REPORT.test(withoutPrefix(line)));
  const isOfThisEnd = isLast && isWrittenAt(writtenMs, atMs);
  const sentence = isOfThisEnd
    ? "Its heap was full: V8 wrote that to its error log and aborted it."
    : "Its heap was full: V8 wrote that to its error log, perhaps at another end.";
  const evidence = [sentence, ...event.evidence];
  return { ...logged, event: { ...event, cause: "crash", certainty: "likely", evidence } };
}

/** PM2's log has whole seconds. */
export function isWrittenAt(writtenMs: number, endMs: number): boolean {
  return writtenMs >= endMs - WRITE_DELAY_MS && writtenMs <= endMs + 1000 + WRITE_DELAY_MS;
}

function isEnd({ event: { kind } }: LogEvent): boolean {
  return kind === "exit" || kind === "stop" || kind === "restart";
}
