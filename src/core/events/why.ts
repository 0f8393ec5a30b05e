import type { HasClock, HasMachine } from "../files/ports.ts";
import { type HasReleases, listReleases } from "../rollout/ports.ts";
import type { HasWorkspace } from "../project/port-repository.ts";
import type { HasSightings, EventsPorts } from "./ports.ts";
import type { LogCoverage, HasProcessLogs } from "../logs/port-logs.ts";
import { type DaemonTraces, severalText } from "../pm2/daemon-traces.ts";
import { namingLost } from "../pm2/target.ts";
import type { SvcmEvent, WhyResponse } from "../api/events.ts";
import { isGranted, type Caller } from "../access/operation.ts";
import { SvcmError } from "../api/errors.ts";
import type { DiskReading, Listener } from "../files/reading.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { TimedEvent } from "./attribute-events.ts";
import { asDeclared, failureBehind, isUnrequested, releaseBefore, writeBefore, readReason } from "./evidence.ts";
import { collectNewestEvents, type CollectedEvents } from "./collect-events.ts";
import { hiddenErrors } from "./hidden-errors.ts";
import { countedEnd, noEndSentence } from "./counted-ends.ts";
import { requiredPatterns, unknownNameError } from "./filter-patterns.ts";
import { endWithDaemon, wasRunning, withoutDaemon } from "./log-state.ts";
import { NOT_STARTED } from "./log-events.ts";
import { toSvcmEvent } from "./page.ts";
import { readStateOf } from "../running/read-states.ts";
import type { StateOf } from "../running/state.ts";
import { silenceSentences } from "../running/state-text.ts";
import { findSymptoms, type Surroundings, writtenFolders } from "../running/symptoms.ts";

const SPAN_MS = 30 * 86_400_000;
const RECENT_MS = 15 * 60_000;
/** The run before the oldest of these is known only with one more event. */
export const LAST_ENDS = 5;
const ENDS: ReadonlySet<SvcmEvent["kind"]> = new Set(["exit", "stop", "restart", "delete"]);

export interface Why {
  readonly response: WhyResponse;
  readonly ends: readonly SvcmEvent[];
  readonly processes: readonly ProcessRecord[];
  /** All of PM2's list, empty if no daemon runs; undefined if PM2 did not respond. */
  readonly listed: readonly ProcessRecord[] | undefined;
  /** `undefined` if those of the processes themselves cannot be seen. */
  readonly listeners: readonly Listener[] | undefined;
}

interface Found {
  readonly name: string;
  /** Events of this name, newest first. */
  readonly own: readonly SvcmEvent[];
  readonly collected: CollectedEvents;
  /** Empty if no daemon runs; undefined if PM2 did not respond. */
  readonly listed: readonly ProcessRecord[] | undefined;
  /** Why PM2's list does not have it, or is not known. */
  readonly silence?: string | undefined;
  /** If no daemon runs. */
  readonly traces: DaemonTraces | undefined;
  readonly coverage: LogCoverage;
}

/**
 * Within 30 days.
 * @param name by default that of the process that ended last
 * @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED; PROCESS_NOT_FOUND if neither the log nor PM2 has the name;
 * PM2_FAILED if the log does not have it and PM2 does not respond
 */
export async function explainEnd(
  ports: EventsPorts,
  name: string | undefined,
  caller: Pick<Caller, "grants" | "signal">,
): Promise<Why> {
  const found = await find(ports, name ?? (await lastEnded(ports, caller.signal)), caller.signal);
  const { own, listed = [], traces } = found;
  const processes = listed.filter((record) => record.name === found.name);
  const ends = await allEnds(ports, found, processes);
  const event = ends[0] ?? null;
  const process = processes.find(({ pmId }) => event === null || pmId === event.pmId);
  const isAllowed = isGranted(caller.grants, "logs");
  const errors = await readReason(ports, { process, event, isAllowed });
  const { ownListeners, ...machine } = await readMachine(ports, processes, process, errors.texts);
  const symptoms = findSymptoms({
    own: processes,
    all: listed,
    pm2Home: ports.workspace.pm2Home,
    errorLines: errors.texts,
    epochMs: ports.clock.now(),
    ...machine,
  });
  const stateOf = await readStateOf(ports, processes);
  const { coverage, collected } = found;
  const sinceMs = ports.clock.now() - SPAN_MS;
  const response = {
    app: found.name,
    event: event && asDeclared(event, process && stateOf(process)),
    reason: errors.reason,
    known:
      event === null
        ? noEndSentence(found.name, processes, { coverage, sinceMs, isListKnown: found.listed !== undefined })
        : `The last end was at ${event.at}.`,
    recentEnds: recentEnds(ends, event),
    processes: processes.map((record) => describeState(record, stateOf)),
    now: [
      ...(traces === undefined ? [] : [withoutDaemon(traces, found.name)]),
      ...(found.silence === undefined ? [] : [found.silence]),
      ...(event === null ? [] : await changesBefore(ports, event, collected)),
      ...failedStart(own, event),
      ...(await hiddenErrors(ports, process, event, { ...errors, isAllowed })),
      ...errors.problems,
      ...symptoms,
      ...silenceSentences(processes, stateOf),
    ],
    errorLines: [...errors.lines],
    complete: collected.isComplete,
  };
  return { response, ends, processes, listed: found.listed, listeners: ownListeners };
}

async function find(ports: EventsPorts, name: string, signal: AbortSignal | undefined): Promise<Found> {
  const eventsOfProcess = (events: CollectedEvents["events"]): TimedEvent[] =>
    events.filter(({ event }) => event.app === name);
  const isEnough = ({ events, fromMs }: CollectedEvents): boolean => {
    const [last, ...older] = eventsOfProcess(events).filter(({ event }) => ENDS.has(event.kind));
    return last !== undefined && older.length >= LAST_ENDS && last.atMs - RECENT_MS >= fromMs;
  };
  const collected = await collectNewestEvents(
    ports,
    {
      sinceMs: ports.clock.now() - SPAN_MS,
      upToMs: Infinity,
      isEnough,
      required: requiredPatterns({ apps: [name] }),
    },
    signal,
  );
  const own = eventsOfProcess(collected.events).map(toSvcmEvent);
  const coverage = await ports.processLogs.readCoverage().catch(() => ({ exists: true, fromMs: null }));
  const found = { name, own, collected, coverage };
  try {
    const listed = await ports.processes.list(signal);
    const lost = ports.processes.lostDaemons();
    const isListed = listed.some((record) => record.name === name);
    if (own.length === 0 && !isListed) throw namingLost(lost, unknownNameError(name, listed));
    return { ...found, listed, silence: absenceText(lost, isListed), traces: undefined };
  } catch (error) {
    if (!(error instanceof SvcmError) || error.kind !== "PM2_FAILED") throw error;
    const traces = error.body.code === "PM2_NOT_RUNNING" ? await ports.processLogs.readDaemonTraces() : undefined;
    // If nothing has the process, PM2's failure is more useful.
    if (own.length === 0 && traces?.savedNames.includes(name) !== true) throw error;
    if (traces !== undefined) return { ...found, listed: [], traces };
    return { ...found, listed: undefined, silence: error.body.details ?? error.message, traces };
  }
}

function absenceText(lost: readonly number[], isListed: boolean): string | undefined {
  if (lost.length > 0) return severalText(lost);
  return isListed ? undefined : "PM2 does not list it now.";
}

async function lastEnded(ports: EventsPorts, signal: AbortSignal | undefined): Promise<string> {
  const { events } = await collectNewestEvents(
    ports,
    { sinceMs: ports.clock.now() - SPAN_MS, upToMs: Infinity, isEnough: (part) => part.events.some(isEnd) },
    signal,
  );
  const listed = await ports.processes.list(signal).catch(() => undefined);
  if (listed === undefined) {
    const [saved] = (await ports.processLogs.readDaemonTraces()).savedNames;
    const newest = events.find(isEnd)?.event.app ?? saved ?? null;
    if (newest !== null) return newest;
  }
  return lastCounted(events.find(isEnd)?.event.app, listed ?? []);
}

function isEnd({ event: { kind, app } }: TimedEvent): boolean {
  return ENDS.has(kind) && app !== null;
}

/** @throws {SvcmError} PROCESS_NOT_FOUND */
function lastCounted(logged: string | null | undefined, listed: readonly ProcessRecord[]): string {
  const counted = listed
    .toSorted((a, b) => b.restartCount - a.restartCount)
    .find(({ restartCount }) => restartCount > 0);
  const name = logged ?? counted?.name ?? null;
  if (name !== null) return name;
  const names = [...new Set(listed.map((record) => record.name))].toSorted().join(", ");
  const accepted = names === "" ? "PM2 lists no process." : `Name a process: ${names}.`;
  throw new SvcmError("PROCESS_NOT_FOUND", {
    details: `No process ended within 30 days as far as PM2's log shows. ${accepted}`,
  });
}

/** Newest first: those of PM2's log, and the last one if the log does not have it. */
async function allEnds(
  ports: HasProcessLogs & HasSightings & HasWorkspace,
  { name, own, collected, coverage, traces }: Found,
  processes: readonly ProcessRecord[],
): Promise<readonly SvcmEvent[]> {
  const logged = own.filter(({ kind }) => ENDS.has(kind));
  const more: SvcmEvent[] = [];
  if (traces !== undefined && wasRunning(own)) {
    const end = endWithDaemon(traces, { name, pmId: own.find(({ pmId }) => pmId !== undefined)?.pmId });
    if (end !== undefined) more.push(end);
  }
  for (const record of processes) {
    const tail = await ports.processLogs.readErrorTail(record).catch(() => undefined);
    const kernel = await ports.sightings.readKernel();
    const { pm2Home } = ports.workspace;
    const end = countedEnd(record, { logged: own, coverage, tail, audit: collected.audit, kernel, pm2Home });
    if (end !== undefined) more.push(end);
  }
  if (more.length === 0) return logged;
  return [...more, ...logged].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

function describeState(record: ProcessRecord, stateOf: StateOf): WhyResponse["processes"][number] {
  const { name: state, reason: stateReason } = stateOf(record);
  return { pmId: record.pmId, status: record.status, state, stateReason };
}

async function changesBefore(
  ports: HasClock & HasReleases,
  event: SvcmEvent,
  { audit }: CollectedEvents,
): Promise<string[]> {
  const releases = await listReleases(ports.releases).catch(() => []);
  if (!isUnrequested(event)) return failureBehind(releases, event);
  const applied = releases.find(({ steps }) => steps.some(({ app }) => app === event.app));
  return [...writeBefore(audit, event, applied?.environment), ...releaseBefore(releases, event, ports.clock.now())];
}

/** A start that PM2's log shows as failed is the reason why the process does not run, or is not in the list. */
function failedStart(own: readonly SvcmEvent[], event: SvcmEvent | null): string[] {
  const newest = own.find(({ kind }) => kind === "start" || ENDS.has(kind));
  if (newest === undefined || newest === event) return [];
  return newest.evidence.filter((sentence) => sentence.startsWith(NOT_STARTED));
}

function recentEnds(ends: readonly SvcmEvent[], event: SvcmEvent | null): number {
  if (event === null) return 0;
  const from = Date.parse(event.at) - RECENT_MS;
  return ends.filter((one) => isUnrequested(one) && Date.parse(one.at) >= from).length;
}

async function readMachine(
  { machine }: HasMachine,
  own: readonly ProcessRecord[],
  process: ProcessRecord | undefined,
  errorLines: readonly string[],
): Promise<
  Pick<Surroundings, "disks" | "limits" | "listeners" | "sockets"> & { readonly ownListeners: Why["listeners"] }
> {
  if (own.length === 0) return { disks: [], listeners: [], ownListeners: undefined };
  const disks = await readDisks({ machine }, writtenFolders(own, errorLines));
  const [kernel, listeners] = [await machine.openTrees(), await machine.listeners()];
  const isElsewhere = own.some((record) => record.isElsewhere);
  const isSeen = !isElsewhere && own.every(({ pid }) => pid === null || kernel === undefined || kernel.shows(pid));
  return {
    disks,
    // The ports of another container are others.
    listeners: isElsewhere ? [] : (listeners ?? []),
    ownListeners: isSeen ? listeners : undefined,
    ...(process !== undefined && { limits: machine.systemLimits(isElsewhere ? null : process.pid) }),
    sockets: isSeen && process !== undefined ? kernel?.tcpSockets() : undefined,
  };
}

async function readDisks({ machine }: HasMachine, paths: readonly string[]): Promise<readonly DiskReading[]> {
  const reader = await machine.openReader(paths);
  try {
    return await reader.disks();
  } finally {
    reader.close();
  }
}
