/** Facts about a process from PM2's log. */
import type { LogEntry } from "../logs/log-line.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { isDue, parseSchedule } from "../pm2/schedule.ts";
import type { LastEnd, ProcessFacts, StopFact } from "./facts.ts";
import { MIN_LOOP_RESTARTS, OBSERVED_MS } from "./restarts.ts";
import type { AuditRecord } from "../api/audit-record.ts";

/** Zones differ by whole quarters of an hour. */
const QUARTER_MS = 15 * 60_000;

type LogFacts = Pick<
  ProcessFacts,
  "endsMs" | "upSinceMs" | "loopCause" | "restartLoop" | "neverSettles" | "lastEnd" | "stuck"
>;

/** @param entries oldest first */
export function logFacts(entries: readonly LogEntry[], record: ProcessRecord, epochMs: number): LogFacts {
  const own = inOwnZone(
    entries.filter((entry) => isOf(entry, record) || entry.type === "daemon-start"),
    record,
  );
  const recent = own.filter(({ atMs }) => epochMs - atMs <= OBSERVED_MS);
  const lastEnd = findLastEnd(own, record);
  const cut = findCutRun(own);
  return {
    // Without a start in the log, its ends are not known either.
    ...(own.some(({ type }) => type === "start") && unrequestedEnds(recent, record)),
    ...restartLoop(recent, record),
    ...(neverSettles(recent, epochMs) && { neverSettles: true }),
    ...(lastEnd !== undefined && { lastEnd }),
    ...(cut !== undefined && { stuck: cut }),
  };
}

/**
 * PM2 writes the local time of its daemon, whose zone may be another one. PM2's list has the time of the last start, so
 * the difference is known.
 */
function inOwnZone(entries: readonly LogEntry[], { lastStartAt }: ProcessRecord): readonly LogEntry[] {
  const start = entries.findLast(({ type }) => type === "start");
  if (start === undefined || lastStartAt === null) return entries;
  const offsetMs = Math.round((start.atMs - lastStartAt) / QUARTER_MS) * QUARTER_MS;
  return offsetMs === 0 ? entries : entries.map((entry) => ({ ...entry, atMs: entry.atMs - offsetMs }));
}

function isOf(entry: LogEntry, { pmId, name }: ProcessRecord): boolean {
  if ("pmId" in entry && (entry.isOld || entry.pmId !== pmId)) return false;
  if ("name" in entry) return entry.name === name;
  return "pmId" in entry;
}

/**
 * A requested restart renews `created_at`, and ends before it belong to a former run. PM2's log does not show each of these
 * restarts: PM2 writes no line about the stop of a process that has just ended. The log has whole seconds.
 */
function sinceCreation(entries: readonly LogEntry[], { createdAt }: ProcessRecord): readonly LogEntry[] {
  return createdAt === null ? entries : entries.filter(({ atMs }) => atMs > createdAt);
}

/**
 * A requested restart or stop resets the count: ends before it belong to another run of the app. A restart by its schedule does
 * not, because it would hide every crash of an app with a frequent schedule.
 */
function unrequestedEnds(recent: readonly LogEntry[], record: ProcessRecord): Pick<LogFacts, "endsMs" | "upSinceMs"> {
  const isScheduled = scheduledTimes(record);
  const isCreatedBySchedule = recent.some(
    ({ type, atMs }) => type === "cron" && isScheduled(atMs) && isWithinReaction(atMs, record.createdAt),
  );
  const entries = isCreatedBySchedule ? recent : sinceCreation(recent, record);
  let endsMs: number[] = [];
  let isRequested = false;
  for (const { type, atMs } of entries) {
    if (type === "stopping" || type === "cron") {
      isRequested = type === "stopping";
      if (!isScheduled(atMs)) endsMs = [];
    } else if (type === "exit") {
      if (!isRequested) endsMs.push(atMs);
      isRequested = false;
    } else if (type === "start") isRequested = false;
  }
  const last = endsMs.at(-1);
  const up = last === undefined ? undefined : entries.find(({ type, atMs }) => type === "start" && atMs >= last);
  return { endsMs, ...(up !== undefined && { upSinceMs: up.atMs }) };
}

/** PM2 acts in the second of its line, or in the next one. */
const REACTION_MS = 2000;

function isWithinReaction(atMs: number, otherMs: number | null): boolean {
  return otherMs !== null && Math.abs(otherMs - atMs) <= REACTION_MS;
}

/** In the zone of this machine. PM2's timer may be a second late. */
function scheduledTimes({ cronRestart }: ProcessRecord): (atMs: number) => boolean {
  const schedule = cronRestart === null ? undefined : parseSchedule(cronRestart);
  return (atMs) => schedule !== undefined && (isDue(schedule, atMs) || isDue(schedule, atMs - SECOND_MS));
}

const FAST_RESTARTS = 10;
/** Less time than a user needs to change that many files. */
const FAST_MS = 30_000;

/** An app that writes into a watched folder restarts itself. A stop by a command ends that. */
function neverSettles(entries: readonly LogEntry[], epochMs: number): boolean {
  const tenth = entries.filter(({ type }) => type === "watch").at(-FAST_RESTARTS);
  if (tenth === undefined || epochMs - tenth.atMs > FAST_MS) return false;
  const stop = entries.findLastIndex(({ type }) => type === "stopping");
  return stop === -1 || entries[stop - 1]?.type === "watch";
}

/** PM2 restarts the process by a rule of its declaration, so nothing ends by itself. */
function restartLoop(
  entries: readonly LogEntry[],
  { declaration }: ProcessRecord,
): Pick<LogFacts, "loopCause" | "restartLoop"> {
  const count = (type: LogEntry["type"]): number => entries.filter((entry) => entry.type === type).length;
  const [memory, watch] = [count("memory"), count("watch")];
  if (memory >= MIN_LOOP_RESTARTS) {
    const { maxMemoryRestart } = declaration.settings;
    const limit = typeof maxMemoryRestart === "number" ? ` of ${(maxMemoryRestart / 2 ** 20).toFixed(1)} MiB` : "";
    const text = `PM2 restarted it ${memory} times in the last 15 minutes, because it exceeded its memory limit${limit}.`;
    return { loopCause: "memory-limit", restartLoop: text };
  }
  if (watch < MIN_LOOP_RESTARTS) return {};
  const path = entries.findLast((entry) => entry.type === "watch")?.path ?? "";
  const text = `PM2 restarted it ${watch} times in the last 15 minutes, because a watched file changed, last ${path}.`;
  return { loopCause: "watch", restartLoop: text };
}

/** A process that PM2 brought back after a reboot has not run in this daemon. */
function findLastEnd(entries: readonly LogEntry[], { lastStartAt }: ProcessRecord): LastEnd | undefined {
  if (lastStartAt === null) return undefined;
  const run = entries.slice(entries.findLastIndex(({ type }) => type === "start" || type === "daemon-start") + 1);
  const stop = run.findLast(({ type }) => type === "stopping");
  const exit = run.findLast((entry) => entry.type === "exit");
  if (stop === undefined && exit === undefined) return undefined;
  return {
    stop: stop === undefined ? null : { atMs: stop.atMs, actor: null, isSvcm: false },
    signal: exit?.signal ?? null,
    code: exit?.code ?? null,
  };
}

/** The schedule stops a run that has not ended, and starts the next one. */
function findCutRun(entries: readonly LogEntry[]): string | undefined {
  const startAt = entries.findLastIndex(({ type }) => type === "start");
  const before = entries.slice(Math.max(0, startAt - 3), Math.max(0, startAt));
  const cron = before.findIndex(({ type }) => type === "cron");
  const stop = before.slice(cron + 1).find(({ type }) => type === "stopping");
  if (cron === -1 || stop === undefined) return undefined;
  return `Its previous run did not end by itself: its schedule stopped it at ${new Date(stop.atMs).toISOString()}.`;
}

/** An app that ignores its signal is killed after its `kill_timeout`. */
const MAX_STOP_MS = 60_000;
const SECOND_MS = 1000;

/**
 * Adds the user who stopped a process. An apply or a restart that was cut off stops a process as well, and no user
 * wanted that; one that succeeded stops nothing later.
 * @param records newest first
 */
export function attributeStop(
  { name, pmId, lastStartAt }: Pick<ProcessRecord, "name" | "pmId" | "lastStartAt">,
  lastEnd: LastEnd | undefined,
  records: readonly AuditRecord[],
): LastEnd | undefined {
  const startedMs = Math.floor((lastStartAt ?? 0) / SECOND_MS) * SECOND_MS;
  const own = records.filter(({ action, processes = [], outcome, timestamp, code }) => {
    const isSame = processes.some((one) => one.name === name && (one.pmId === null || one.pmId === pmId));
    // A stop of a stopped process has no effect, and a run stops nothing.
    const hasEffect = outcome !== "refused" && code !== "ALREADY_STOPPED" && action !== "process.run";
    return isSame && hasEffect && Date.parse(timestamp) >= startedMs;
  });
  const stopped = stopBySvcm(own, lastEnd);
  if (stopped !== undefined) return stopped;
  const stop = lastEnd?.stop;
  if (lastEnd === undefined || !stop) return lastEnd;
  const isActOfSvcm = own.some(
    ({ timestamp, ms = MAX_STOP_MS, action, outcome }) =>
      action !== "process.stop" &&
      stop.atMs >= Date.parse(timestamp) - ms - SECOND_MS &&
      stop.atMs <= Date.parse(timestamp) + (outcome === "succeeded" ? 0 : MAX_STOP_MS),
  );
  return isActOfSvcm ? { ...lastEnd, stop: null } : lastEnd;
}

/** A later act of svcm, such as a start that failed, does not change who stopped the process. */
function stopBySvcm(own: readonly AuditRecord[], lastEnd: LastEnd | undefined): LastEnd | undefined {
  if (lastEnd?.stop === null) return undefined;
  const stoppedMs = lastEnd?.stop.atMs;
  const newest = own.find(
    ({ timestamp }) => stoppedMs === undefined || Math.abs(Date.parse(timestamp) - stoppedMs) <= MAX_STOP_MS,
  );
  if (newest?.action !== "process.stop") return undefined;
  const atMs = stoppedMs ?? Date.parse(newest.timestamp);
  const stop: StopFact = { atMs, actor: newest.actor ?? null, isSvcm: true };
  return { signal: null, code: null, ...lastEnd, stop };
}
