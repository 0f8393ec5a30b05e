import type { SvcmEvent } from "../api/events.ts";
import { defined } from "../words/defined.ts";
import { endOnItsOwn, ordered, reload, type Order, type Verdict } from "./causes.ts";
import type { LogEntry } from "./log-line.ts";

type Entry<Type extends LogEntry["type"]> = Extract<LogEntry, { readonly type: Type }>;

/** An event of PM2's log. `isOrdered` if something other than the process itself decided on its end. */
export interface LogEvent {
  readonly atMs: number;
  readonly isOrdered: boolean;
  /** The names, numbers, kind and verdict; `at` follows from `atMs`. */
  readonly event: Omit<SvcmEvent, "at">;
}

interface Draft extends Verdict {
  readonly atMs: number;
  readonly isOrdered: boolean;
  readonly app: string | null;
  readonly pmId?: number;
  kind: SvcmEvent["kind"];
  readonly exitCode?: number;
  readonly signal?: string;
}

/** A start that comes later than this after an order is a separate event. */
const RESTART_MS = 2000;
/** `pm2 kill` stops the processes at most this long before the daemon. */
const KILL_MS = 10_000;

interface Process {
  order?: Order | undefined;
  lastEnd?: Draft | undefined;
  /** The latest start that still belongs to the last end. */
  restartBy: number;
  isRunning: boolean;
}

interface State {
  readonly drafts: Draft[];
  readonly processes: Map<number, Process>;
  readonly watched: Map<string, Entry<"watch">>;
  lastExit?: Draft | undefined;
  isEnding: boolean;
  /** Undefined until the log shows a start or an end of the daemon. */
  hasDaemon?: boolean | undefined;
}

/** @param entries the oldest first */
export function logEvents(entries: Iterable<LogEntry>): LogEvent[] {
  const state: State = { drafts: [], processes: new Map(), watched: new Map(), isEnding: false };
  for (const entry of entries) note(state, entry);
  return state.drafts.map(({ atMs, isOrdered, ...event }) => ({ atMs, isOrdered, event }));
}

function note(state: State, entry: LogEntry): void {
  switch (entry.type) {
    case "exit":
      return entry.isOld ? noteReloaded(state, entry) : noteExit(state, entry);
    case "start":
      return noteStart(state, entry);
    case "stopping":
      return noteStopping(state, entry);
    case "memory":
    case "cron":
      return void (processOf(state, entry.pmId).order = { ...processOf(state, entry.pmId).order, [entry.type]: entry });
    case "without-pid":
      return void (processOf(state, entry.pmId).order = undefined);
    case "watch":
      return void state.watched.set(entry.name, entry);
    case "backoff":
      return void (processOf(state, entry.pmId).restartBy = entry.atMs + entry.ms + RESTART_MS);
    case "gave-up":
      return addEvidence(state.lastExit, `PM2 gave up after ${entry.count} unstable restarts.`);
    case "daemon-signal":
      return void (state.isEnding = true);
    default:
      return noteDaemon(state, entry);
  }
}

function noteStopping(state: State, { atMs, name, pmId }: Entry<"stopping">): void {
  const process = processOf(state, pmId);
  process.order = { ...process.order, stoppingMs: atMs, watch: state.watched.get(name), isEnding: state.isEnding };
}

function noteExit(state: State, entry: Entry<"exit">): void {
  const { atMs, name, pmId, code } = entry;
  const process = processOf(state, pmId);
  const isOrdered = process.order?.stoppingMs !== undefined;
  const signal = code === 0 && entry.signal !== "SIGINT" ? entry.signal : undefined;
  const verdict = isOrdered ? ordered(process.order ?? {}) : endOnItsOwn(code, signal);
  const end = defined({ exitCode: signal === undefined ? code : undefined, signal });
  const draft: Draft = { atMs, isOrdered, app: name, pmId, kind: isOrdered ? "stop" : "exit", ...verdict, ...end };
  state.drafts.push(draft);
  state.lastExit = draft;
  process.lastEnd = draft;
  process.restartBy = atMs + RESTART_MS;
  process.order = undefined;
  process.isRunning = false;
}

function noteReloaded(state: State, { atMs, name, pmId }: Entry<"exit">): void {
  const process = processOf(state, pmId);
  const isOrdered = process.order?.stoppingMs !== undefined;
  state.drafts.push({ atMs, isOrdered, app: name, pmId, kind: "restart", ...reload(process.order ?? {}, atMs) });
  process.order = undefined;
}

function noteStart(state: State, { atMs, name, pmId }: Entry<"start">): void {
  const process = processOf(state, pmId);
  const { lastEnd, isRunning } = process;
  process.isRunning = true;
  process.lastEnd = undefined;
  // A reload starts the new process before the old one ends.
  if (isRunning) return;
  if (process.order?.stoppingMs !== undefined) process.order = undefined;
  if (lastEnd !== undefined && atMs <= process.restartBy) {
    if (lastEnd.isOrdered) lastEnd.kind = "restart";
    else addEvidence(lastEnd, "PM2 started it again.");
    return;
  }
  const evidence = ["PM2's log has the start, and not who ordered it."];
  state.drafts.push({
    atMs,
    isOrdered: true,
    app: name,
    pmId,
    kind: "start",
    cause: "unknown",
    certainty: "unknown",
    evidence,
  });
}

function noteDaemon(state: State, { atMs, type }: LogEntry): void {
  const isStart = type === "daemon-start";
  const isSudden = isStart && state.hasDaemon === true;
  if (!isStart && !state.isEnding) blameDaemon(state, atMs);
  const sentence = isStart ? "PM2's daemon started." : "PM2's daemon stopped.";
  const evidence = isSudden
    ? [sentence, "The daemon before it ended without a word: it was killed, or the machine stopped."]
    : [sentence];
  state.drafts.push({
    atMs,
    isOrdered: false,
    app: null,
    kind: "daemon",
    cause: "daemon",
    certainty: "certain",
    evidence,
  });
  state.hasDaemon = isStart;
  state.isEnding = false;
  state.processes.clear();
  state.watched.clear();
  state.lastExit = undefined;
}

/** `pm2 kill` stops every process first, and says so last. */
function blameDaemon({ drafts }: State, endMs: number): void {
  for (let index = drafts.length - 1; index >= 0; index -= 1) {
    const draft = drafts[index];
    if (draft === undefined || draft.atMs < endMs - KILL_MS || draft.kind !== "stop") return;
    if (draft.cause !== "pm2-cli") continue;
    const evidence = ["PM2's daemon stopped right after it.", ...draft.evidence];
    drafts[index] = { ...draft, cause: "daemon", certainty: "likely", evidence };
  }
}

function addEvidence(draft: Draft | undefined, sentence: string): void {
  if (draft !== undefined) draft.evidence.push(sentence);
}

function processOf({ processes }: State, pmId: number): Process {
  const known = processes.get(pmId);
  if (known !== undefined) return known;
  const made: Process = { restartBy: 0, isRunning: false };
  processes.set(pmId, made);
  return made;
}
