import { explainExit, maySchedule, explainStop, explainReload, type StopOrder } from "./causes.ts";
import type { LogEntry } from "../logs/log-line.ts";
import {
  type Draft,
  type Entry,
  type LogEvent,
  type Process,
  STARTED_AGAIN,
  type State,
  addEvidence,
  applyDaemon,
  processOf,
  remove,
} from "./log-state.ts";
import { maskCredentials } from "../secrets/redact.ts";
import { pluralize } from "../words/text.ts";

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;
/** In a reload, the new process starts at most this long before the old one ends. */
const RELOAD_MS = 60_000;
/** A start that comes later than this after a request is a separate event. */
const RESTART_MS = 2000;
/** PM2 logs within this time that it could not start a process. */
const START_ERROR_MS = 2000;
/** After its own start, a daemon starts the saved processes within this time of each other. */
const RESURRECT_MS = 10_000;

/** @param entries oldest first */
export function logEvents(entries: Iterable<LogEntry>): LogEvent[] {
  const state: State = { drafts: [], processes: new Map(), watched: new Map(), isEnding: false };
  for (const entry of entries) applyEntry(state, entry);
  return state.drafts;
}

function applyEntry(state: State, entry: LogEntry): void {
  applyByType(state, entry);
  if (entry.type !== "daemon-end") state.lastLineMs = entry.atMs;
}

function applyByType(state: State, entry: LogEntry): void {
  switch (entry.type) {
    case "exit":
      return entry.isOld ? applyReloadedExit(state, entry) : applyExit(state, entry);
    case "start":
      return applyStart(state, entry);
    case "stopping":
      return applyStopping(state, entry);
    case "memory":
    case "cron":
    case "without-pid":
    case "backoff":
      return applyToProcess(processOf(state, entry.pmId), entry);
    case "daemon-start":
    case "daemon-end":
      return applyDaemon(state, entry);
    default:
      return applyOther(state, entry);
  }
}

function applyOther(
  state: State,
  entry: Entry<"watch" | "forced" | "stale" | "gave-up" | "daemon-signal" | "error">,
): void {
  if (entry.type === "watch") state.watched.set(entry.name, entry);
  else if (entry.type === "forced") state.forced = entry;
  else if (entry.type === "daemon-signal") state.isEnding = true;
  else if (entry.type === "error") applyStartError(state, entry);
  else if (entry.type === "stale") remove(state, state.lastExit);
  else applyGaveUp(state, entry);
}

/** A start right after it is not PM2's own. */
function applyGaveUp(state: State, { count }: Entry<"gave-up">): void {
  const { lastExit } = state;
  addEvidence(lastExit, `PM2 gave up after ${pluralize(count, "unstable restart")}.`);
  const pmId = lastExit?.event.pmId ?? null;
  if (pmId !== null) processOf(state, pmId).restartBy = -Infinity;
}

function applyToProcess(process: Process, entry: Entry<"memory" | "cron" | "without-pid" | "backoff">): void {
  if (entry.type === "backoff") process.restartBy = entry.atMs + entry.ms + RESTART_MS;
  else if (entry.type === "without-pid") process.order = undefined;
  else process.order = { ...process.order, [entry.type]: entry };
}

function applyStopping(state: State, { atMs, name, pmId }: Entry<"stopping">): void {
  const process = processOf(state, pmId);
  const changed = state.watched.get(name);
  const watch = changed === process.usedWatch ? undefined : changed;
  process.usedWatch = changed;
  process.order = { ...process.order, stoppingMs: atMs, watch, isEnding: state.isEnding };
}

export const NOT_STARTED = "PM2 could not start it";

/** The process has no pid then, although PM2 lists it as online. */
function applyStartError({ starting }: State, { atMs, message }: Entry<"error">): void {
  if (starting === undefined || atMs - starting.atMs > START_ERROR_MS) return;
  const { process, draft } = starting;
  process.isRunning = false;
  if (draft === undefined) return;
  const evidence = draft.event.evidence.filter((sentence) => sentence !== STARTED_AGAIN);
  const again = draft.event.kind === "start" ? "" : " again";
  draft.event = {
    ...draft.event,
    evidence: [...evidence, `${NOT_STARTED}${again}: ${maskCredentials(message)}.`],
  };
}

function applyExit(state: State, entry: Entry<"exit">): void {
  const { atMs, name, pmId, code } = entry;
  const process = processOf(state, pmId);
  const isOrdered = process.order?.stoppingMs !== undefined;
  const signal = code === 0 && entry.signal !== "SIGINT" ? entry.signal : undefined;
  const verdict = isOrdered ? explainStop(orderOf(state, process, signal)) : explainExit(code, signal);
  const { order = {}, mode } = process;
  if (!isOrdered) verdict.evidence.push(...runTimeSentence(process, atMs));
  const draft: Draft = {
    atMs,
    isOrdered,
    orderedMs: order.stoppingMs,
    maySchedule: isOrdered && maySchedule(order),
    ...(code === 0 && signal === undefined && !isOrdered && { zero: { mode, isRestarted: false } }),
    event: { app: name, pmId, kind: isOrdered ? "stop" : "exit", ...verdict, ...exitOf(code, signal) },
  };
  state.drafts.push(draft);
  state.lastExit = draft;
  process.lastEnd = draft;
  process.restartBy = atMs + RESTART_MS;
  process.order = undefined;
  process.isRunning = false;
}

function runTimeSentence({ startedMs }: Process, atMs: number): string[] {
  return startedMs === undefined ? [] : [`It had run for ${formatRunTime(atMs - startedMs)}.`];
}

/** PM2 writes 0 for its own SIGINT, too. */
function exitOf(code: number, signal: string | undefined): Pick<LogEvent["event"], "exitCode" | "signal"> {
  if (signal !== undefined) return { signal };
  return code === 0 ? {} : { exitCode: code };
}

/** When PM2 kills a process, it logs only the pid, which occurs nowhere else in the log. */
function orderOf({ forced }: State, { order = {} }: Process, signal: string | undefined): StopOrder {
  const { stoppingMs = Infinity } = order;
  return signal === "SIGKILL" && forced !== undefined && forced.atMs >= stoppingMs ? { ...order, forced } : order;
}

function applyReloadedExit(state: State, { atMs, name, pmId }: Entry<"exit">): void {
  const process = processOf(state, pmId);
  const isOrdered = process.order?.stoppingMs !== undefined;
  const { order = {} } = process;
  // If the log lacks the start of the old process, the start of the new one looked like a separate start.
  if (process.lastStart !== undefined && process.lastStart.atMs >= atMs - RELOAD_MS) remove(state, process.lastStart);
  process.lastStart = undefined;
  const event = { app: name, pmId, kind: "restart" as const, ...explainReload(order, atMs) };
  state.drafts.push({ atMs, isOrdered, orderedMs: order.stoppingMs, event });
  process.order = undefined;
}

function applyStart(state: State, { atMs, name, pmId, mode }: Entry<"start">): void {
  const process = processOf(state, pmId);
  const { lastEnd, isRunning } = process;
  process.name = name;
  process.mode = mode;
  state.starting = { atMs, process, draft: undefined };
  process.isRunning = true;
  process.startedMs = atMs;
  process.lastStart = undefined;
  process.lastEnd = undefined;
  if (isRunning) return;
  // PM2 writes of the schedule, too, before it starts a job that is at rest.
  const isOfSchedule = maySchedule({ ...process.order, stoppingMs: atMs });
  if (isOfSchedule || process.order?.stoppingMs !== undefined) process.order = undefined;
  if (lastEnd !== undefined && atMs <= process.restartBy) {
    if (lastEnd.isOrdered) lastEnd.event = { ...lastEnd.event, kind: "restart" };
    else addEvidence(lastEnd, STARTED_AGAIN);
    if (lastEnd.zero !== undefined) lastEnd.zero.isRestarted = true;
    state.starting = { atMs, process, draft: lastEnd };
    return;
  }
  const event = startEvent(state, atMs, { app: name, pmId });
  process.lastStart = { atMs, orderedMs: atMs, isOrdered: true, ...(isOfSchedule && { maySchedule: true }), event };
  state.starting = { atMs, process, draft: process.lastStart };
  state.drafts.push(process.lastStart);
}

function startEvent(state: State, atMs: number, { app, pmId }: { app: string; pmId: number }): Draft["event"] {
  const { daemonStartedMs = -Infinity } = state;
  const isAfterDaemon = atMs - daemonStartedMs <= RESURRECT_MS;
  // Each start takes a while, so the next one may follow as late.
  if (isAfterDaemon) state.daemonStartedMs = atMs;
  const evidence = isAfterDaemon
    ? ["It started right after PM2's daemon, as pm2 resurrect or a first pm2 start does."]
    : ["PM2's log records the start, but not who requested it."];
  return { app, pmId, kind: "start", cause: "unknown", certainty: "unknown", evidence };
}

/** `9 s`, `3 min`, `2 h`, `4 d` */
function formatRunTime(ms: number): string {
  const [unit, size] = UNITS.find(([, minimum]) => ms >= 2 * minimum) ?? ["s", 1000];
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`;
}
