import type { HasAudit } from "../access/ports.ts";
import type { HasWorkspace } from "../project/port-repository.ts";
import { type HasReleases, listReleases } from "../rollout/ports.ts";
import type { EventsPorts } from "./ports.ts";
import { appKind } from "../running/code-evidence.ts";
import type { ExecMode } from "../pm2/pm2-fields.ts";
import type { ErrorTail } from "../logs/error-block.ts";
import type { Pm2LogQuery } from "../logs/port-logs.ts";
import { FileError } from "../files/ports.ts";
import type { AuditRecord } from "../api/audit-record.ts";
import { SvcmError } from "../api/errors.ts";
import { attributeEvents, isRelease, type TimedEvent, withReleaseApps } from "./attribute-events.ts";
import { explainHeapErrors, isWrittenAt } from "./counted-ends.ts";
import { logEvents } from "./log-events.ts";
import type { LogEvent } from "./log-state.ts";
import { isDue, parseSchedule } from "../pm2/schedule.ts";
import { type Program, withCommands, withKernel } from "./sightings.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { once } from "../words/once.ts";
import { explainZero, type ZeroEvidence } from "./causes.ts";

const MAX_RECORDS = 1000;
/** A cause may depend on log lines up to this long before its event. */
const CONTEXT_MS = 10 * 60_000;
/** A crash loop with several ends a second writes this in an hour. */
const NEWEST_ENTRIES = 20_000;

export interface CollectedEvents {
  readonly events: readonly TimedEvent[];
  readonly isComplete: boolean;
  /** Newest first. */
  readonly audit: readonly AuditRecord[];
  /** Every event from this time on is included. */
  readonly fromMs: number;
}

/**
 * Reads only the newest part of a large log if that is enough.
 * @param wanted `upToMs`: the time of the newest wanted event; `required`: patterns that a log with a wanted event must
 * all match
 * @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED
 */
export async function collectNewestEvents(
  ports: EventsPorts,
  wanted: Pick<Pm2LogQuery, "sinceMs" | "required"> & {
    readonly audit?: AuditRecords | undefined;
    readonly upToMs: number;
    readonly isEnough: (part: CollectedEvents) => boolean;
  },
  signal: AbortSignal | undefined,
): Promise<CollectedEvents> {
  const { sinceMs, upToMs, isEnough, required, audit } = wanted;
  const newest = await collectEvents(ports, sinceMs, signal, { limit: { entries: NEWEST_ENTRIES, upToMs }, audit });
  if (newest.fromMs === sinceMs || isEnough(newest)) return newest;
  return await collectEvents(ports, sinceMs, signal, { required, audit });
}

/** Reads a source only if an event may depend on it. @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED */
export async function collectEvents(
  ports: EventsPorts,
  sinceMs: number,
  signal: AbortSignal | undefined,
  {
    audit: known,
    ...part
  }: Pick<Pm2LogQuery, "limit" | "required"> & { readonly audit?: AuditRecords | undefined } = {},
): Promise<CollectedEvents> {
  const contextMs = sinceMs - CONTEXT_MS;
  const log = await ports.processLogs.readPm2Log({ ...part, sinceMs: contextMs }, signal).catch((error: unknown) => {
    throw readFailure("EVENTS_FAILED", error);
  });
  const fromMs = log.isTruncated ? Math.max(sinceMs, (log.entries[0]?.atMs ?? 0) + CONTEXT_MS) : sinceMs;
  const audit = known ?? (await readAuditRecords(ports, sinceMs, signal));
  const { sightings } = ports;
  const listOnce: ListProcesses = once(() => ports.processes.list(signal).catch(() => []));
  const seen = await sightings.readSince(contextMs).catch(() => []);
  let events: readonly LogEvent[] = withCommands(logEvents(log.entries), seen);
  if (events.some(dependsOnKernel))
    events = withKernel(events, await sightings.readKernel(), { seen, programOf: programOf(await listOnce()) });
  events = await withSchedules(listOnce, events);
  const tailOf = async ({ app, pmId = -1 }: LogEvent["event"]): Promise<ErrorTail | undefined> => {
    const listed = (await listOnce()).find((process) => process.name === app && process.pmId === pmId);
    return await ports.processLogs.readErrorTail(listed ?? { name: app ?? "", pmId });
  };
  events = await explainZeroes(events, { ...(await readKinds(listOnce, events)), tailOf });
  events = await explainHeapErrors(events, tailOf);
  return {
    events: attributeEvents(events, await nameStartedApps(ports, audit.records), ports.workspace.pm2Home).filter(
      ({ atMs }) => atMs >= fromMs,
    ),
    fromMs,
    audit: audit.records,
    isComplete: log.isComplete && audit.isComplete && audit.records.length < MAX_RECORDS,
  };
}

async function nameStartedApps(
  { releases, workspace: { pm2Home } }: HasReleases & HasWorkspace,
  records: readonly AuditRecord[],
): Promise<readonly AuditRecord[]> {
  if (!records.some(isRelease)) return records;
  return withReleaseApps(records, await listReleases(releases).catch(() => []), pm2Home);
}

export interface AuditRecords {
  readonly records: readonly AuditRecord[];
  readonly isComplete: boolean;
}

/** @throws {SvcmError} AUDIT_FAILED */
export async function readAuditRecords(
  ports: HasAudit,
  sinceMs: number,
  signal: AbortSignal | undefined,
): Promise<AuditRecords> {
  return await ports.audit
    .newest({ limit: MAX_RECORDS, since: sinceMs - CONTEXT_MS }, signal)
    .catch((error: unknown) => {
      throw readFailure("AUDIT_FAILED", error);
    });
}

function dependsOnKernel({ lostMs, event: { kind, signal } }: LogEvent): boolean {
  return lostMs !== undefined || (kind === "exit" && signal === "SIGKILL");
}

function programOf(records: readonly ProcessRecord[]): (process: LogEvent["event"]) => Program | undefined {
  return ({ app, pmId }) => records.find((record) => record.pmId === pmId && record.name === app);
}

type ListProcesses = () => Promise<readonly ProcessRecord[]>;

/** PM2's log names the mode of a process only where it starts. */
async function readKinds(
  list: ListProcesses,
  events: readonly LogEvent[],
): Promise<Pick<Witnesses, "modeOf" | "isService">> {
  const records = events.some(needsRecord) ? await list() : [];
  const find = ({ app, pmId }: LogEvent["event"]) =>
    records.find((record) => record.pmId === pmId && record.name === app);
  return {
    modeOf: (process) => find(process)?.execMode ?? undefined,
    isService: (process) => appKind(find(process)?.declaration.settings ?? {}) === "service",
  };
}

/** Without an answer from PM2, an end on the full minute counts as scheduled. */
async function withSchedules(list: ListProcesses, events: readonly LogEvent[]): Promise<readonly LogEvent[]> {
  if (!events.some(isPerhapsScheduled)) return events;
  const records = await list();
  const patterns = new Map(records.map(({ pmId, cronRestart }) => [pmId, cronRestart]));
  return events.map((logged) => {
    if (!isPerhapsScheduled(logged)) return logged;
    const { orderedMs = 0, event } = logged;
    const pattern = patterns.get(event.pmId ?? -1) ?? undefined;
    const schedule = pattern === undefined ? undefined : parseSchedule(pattern);
    const isTime = schedule === undefined ? orderedMs % 60_000 === 0 : isDue(schedule, orderedMs);
    if (!isTime) return logged;
    const why =
      schedule === undefined ? "at a full minute, and it has a schedule" : `when its schedule ${pattern} says`;
    const [, ...rest] = event.evidence;
    const evidence = [`PM2 ${event.kind === "start" ? "started" : "restarted"} it ${why}.`, ...rest];
    return { ...logged, event: { ...event, cause: "cron", certainty: "likely", evidence } };
  });
}

function isPerhapsScheduled({ maySchedule, event: { actor, cause, kind } }: LogEvent): boolean {
  return maySchedule === true && actor === undefined && (cause === "pm2-cli" || kind === "start");
}

function readFailure(kind: "EVENTS_FAILED" | "AUDIT_FAILED", error: unknown): unknown {
  if (!(error instanceof FileError)) return error;
  return new SvcmError(kind, { code: error.code, path: error.path, details: error.message });
}

/** Ends further apart are not a repetition. */
const REPEAT_MS = 15 * 60_000;
/** Each error log is read for the last end of its process only. */
const MAX_LOGS = 20;

interface Witnesses {
  /** The mode that PM2's list has, for a process whose start the log does not have. */
  readonly modeOf: (process: LogEvent["event"]) => ExecMode | undefined;
  /** False for a job or a task, which ends in each of its runs; true if it is not known. */
  readonly isService: (process: LogEvent["event"]) => boolean;
  readonly tailOf: (process: LogEvent["event"]) => Promise<ErrorTail | undefined>;
}

function needsRecord({ zero }: LogEvent): boolean {
  return zero !== undefined && zero.mode !== "fork";
}

/** Explains the ends for which PM2 logs the code 0 and no signal. */
export async function explainZeroes(events: readonly LogEvent[], witnesses: Witnesses): Promise<readonly LogEvent[]> {
  const ends = endsByProcess(events);
  let logsLeft = MAX_LOGS;
  const explained = new Map<LogEvent, LogEvent>();
  for (const own of ends.values()) {
    for (const [at, logged] of own.entries()) {
      if (logged.zero === undefined) continue;
      const mode = logged.zero.mode ?? witnesses.modeOf(logged.event) ?? "unknown";
      const isLast = logged === own.at(-1);
      const tail =
        isLast && mode !== "fork" && (logsLeft -= 1) >= 0
          ? await witnesses.tailOf(logged.event).catch(() => undefined)
          : undefined;
      const hasFreshErrors = isFresh(tail, logged.atMs);
      const isRepeated = witnesses.isService(logged.event) && hasNeighbour(own, at);
      const evidence = { hasFreshErrors, isRepeated, isRestarted: logged.zero.isRestarted };
      explained.set(logged, explain(logged, mode, evidence));
    }
  }
  return explained.size === 0 ? events : events.map((logged) => explained.get(logged) ?? logged);
}

function isFresh(tail: ErrorTail | undefined, endMs: number): boolean {
  return tail !== undefined && tail.lines.length > 0 && isWrittenAt(tail.writtenMs, endMs);
}

function hasNeighbour(ends: readonly LogEvent[], at: number): boolean {
  const { atMs = NaN } = ends[at] ?? {};
  return [ends[at - 1], ends[at + 1]].some((one) => one !== undefined && Math.abs(one.atMs - atMs) <= REPEAT_MS);
}

function explain(logged: LogEvent, mode: ExecMode | "unknown", evidence: ZeroEvidence): LogEvent {
  const { event } = logged;
  const { evidence: sentences, ...verdict } = explainZero(mode, evidence);
  // The first sentence did not know the mode.
  const [, ...rest] = event.evidence;
  const exitCode = mode === "fork" ? { exitCode: 0 } : {};
  return { ...logged, event: { ...event, ...verdict, ...exitCode, evidence: [...sentences, ...rest] } };
}

function endsByProcess(events: readonly LogEvent[]): ReadonlyMap<string, readonly LogEvent[]> {
  const found = new Map<string, LogEvent[]>();
  for (const logged of events) {
    const { app, pmId, kind } = logged.event;
    if (kind !== "exit" || logged.lostMs !== undefined) continue;
    const key = `${pmId} ${app}`;
    const own = found.get(key);
    if (own === undefined) found.set(key, [logged]);
    else own.push(logged);
  }
  return found;
}
