/** The processes and events of PM2's log, up to one of its lines. */
import type { ExecMode } from "../pm2/pm2-fields.ts";
import type { SvcmEvent } from "../api/events.ts";
import type { StopOrder } from "./causes.ts";
import type { LogEntry } from "../logs/log-line.ts";
import { floorToSecond, formatSecond } from "../words/time.ts";
import { type DaemonTraces, restoreCommand, severalText, survivorsText } from "../pm2/daemon-traces.ts";
import { nameList } from "../words/text.ts";

export type Entry<Type extends LogEntry["type"]> = Extract<LogEntry, { readonly type: Type }>;

/** `isOrdered` if the process did not end by itself. */
export interface LogEvent {
  readonly atMs: number;
  readonly isOrdered: boolean;
  readonly orderedMs?: number | undefined;
  readonly maySchedule?: boolean;
  /** For an end without a request whose code and signal are PM2's defaults. */
  readonly zero?: { readonly mode: ExecMode | undefined; isRestarted: boolean };
  /** For a daemon whose predecessor did not log its stop: when the predecessor last wrote to the log. */
  readonly lostMs?: number | undefined;
  readonly event: Omit<SvcmEvent, "at">;
}

export interface Draft extends LogEvent {
  event: LogEvent["event"] & { readonly evidence: string[] };
}

export interface Process {
  name?: string;
  mode?: ExecMode;
  order?: StopOrder | undefined;
  /** A changed file explains one stop of each process. */
  usedWatch?: Entry<"watch"> | undefined;
  lastEnd?: Draft | undefined;
  lastStart?: Draft | undefined;
  startedMs?: number;
  restartBy: number;
  isRunning: boolean;
}

export interface State {
  readonly drafts: Draft[];
  readonly processes: Map<number, Process>;
  readonly watched: Map<string, Entry<"watch">>;
  lastExit?: Draft | undefined;
  /** The process that PM2 has begun to start, and the event that shows it. */
  starting?: { readonly atMs: number; readonly process: Process; readonly draft: Draft | undefined } | undefined;
  daemonStartedMs?: number | undefined;
  forced?: Entry<"forced"> | undefined;
  isEnding: boolean;
  lastLineMs?: number | undefined;
}

export function addEvidence(draft: Draft | undefined, sentence: string): void {
  draft?.event.evidence.push(sentence);
}

export function remove({ drafts }: State, draft: Draft | undefined): void {
  const at = draft === undefined ? -1 : drafts.lastIndexOf(draft);
  if (at !== -1) drafts.splice(at, 1);
}

export function processOf({ processes }: State, pmId: number): Process {
  const existing = processes.get(pmId);
  if (existing !== undefined) return existing;
  const created: Process = { restartBy: 0, isRunning: false };
  processes.set(pmId, created);
  return created;
}

/** The start and the end of PM2's daemon, and what they do to its processes. */

/** `pm2 kill` stops the processes at most this long before the daemon. */
const KILL_MS = 10_000;

export function applyDaemon(state: State, { atMs, type }: LogEntry): void {
  const isStart = type === "daemon-start";
  const lostMs = isStart ? state.lastLineMs : undefined;
  if (!isStart && !state.isEnding) blameDaemon(state, atMs);
  const sentence = isStart ? "PM2's daemon started." : "PM2's daemon stopped.";
  const lost = lostMs === undefined ? [] : [LOST_DAEMON];
  if (lostMs !== undefined) state.drafts.push(...lostProcesses(state, atMs, lostMs));
  state.drafts.push({
    atMs,
    isOrdered: false,
    lostMs,
    event: { app: null, kind: "daemon", cause: "daemon", certainty: "certain", evidence: [sentence, ...lost] },
  });
  state.daemonStartedMs = isStart ? atMs : undefined;
  state.starting = undefined;
  state.lastLineMs = undefined;
  state.isEnding = false;
  state.processes.clear();
  state.watched.clear();
  state.lastExit = undefined;
}

const LOST_DAEMON = "The previous daemon ended without a message: it was killed, or the machine stopped.";

/** Children of `npm` or a shell, and programs other than Node.js, may live on; PM2 does not know them any more. */
function lostProcesses({ processes }: State, atMs: number, lostMs: number): Draft[] {
  const running = [...processes].filter(([, { isRunning, name }]) => isRunning && name !== undefined);
  return running.map(([pmId, { name = "" }]) => ({
    atMs,
    isOrdered: false,
    lostMs,
    event: {
      bound: "before",
      app: name,
      pmId,
      kind: "exit",
      cause: "daemon",
      certainty: "likely",
      evidence: [
        `PM2's daemon ended without a message after ${formatSecond(lostMs)}, and its processes with it.`,
        LOST_DAEMON,
      ],
    },
  }));
}

/**
 * The former daemon runs on beside the new one, so no process ended with it.
 * @param pids of the daemons that PM2's socket does not reach
 */
export function withLostDaemons(events: readonly LogEvent[], pids: readonly number[]): LogEvent[] {
  const newest = events.findLast(({ lostMs, event }) => lostMs !== undefined && event.kind === "daemon");
  if (pids.length === 0 || newest === undefined) return [...events];
  return events.flatMap((one): LogEvent[] => {
    const { atMs, lostMs, event } = one;
    if (atMs !== newest.atMs || lostMs !== newest.lostMs) return [one];
    if (event.kind !== "daemon") return [];
    const evidence = [...event.evidence.slice(0, 1), severalText(pids)];
    return [{ ...one, lostMs: undefined, event: { ...event, evidence } }];
  });
}

/** `pm2 kill` stops every process first and logs its own stop last. */
function blameDaemon({ drafts }: State, endMs: number): void {
  for (let index = drafts.length - 1; index >= 0; index -= 1) {
    const draft = drafts[index];
    if (draft === undefined || draft.atMs < endMs - KILL_MS || draft.event.kind !== "stop") return;
    if (draft.event.cause !== "pm2-cli") continue;
    const evidence = ["PM2's daemon stopped right after it.", ...draft.event.evidence];
    draft.event = { ...draft.event, cause: "daemon", certainty: "likely", evidence };
  }
}

/** The end of a process whose daemon was killed, while no new daemon runs. */
export function endWithDaemon(
  { pid, signMs, survivors = [] }: DaemonTraces,
  { name, pmId }: { readonly name: string; readonly pmId: number | undefined },
): SvcmEvent | undefined {
  if (pid === null || signMs === null || survivors.some((one) => one.name === name)) return undefined;
  const at = floorToSecond(signMs);
  return {
    at: new Date(at).toISOString(),
    bound: "after",
    app: name,
    ...(pmId !== undefined && { pmId }),
    kind: "exit",
    cause: "daemon",
    certainty: "likely",
    evidence: [
      `PM2's daemon, pid ${pid}, ended without a message after ${formatSecond(at)}: it was killed or crashed, and ${name} ended with it.`,
    ],
  };
}

/** Says what no daemon means for the process, with one command that brings it back. The end itself names the death. */
export function withoutDaemon(traces: DaemonTraces, name: string): string {
  const { savedNames } = traces;
  const saved = nameList(savedNames);
  const runs = `No PM2 daemon runs.${survivorsText(traces)}`;
  if (savedNames.includes(name)) return `${runs} To bring back ${saved}: ${restoreCommand(traces)}`;
  const others = savedNames.length === 0 ? "" : `, only ${saved}`;
  return `${runs} The saved list does not have ${name}${others}. To start what is declared: svcm apply`;
}

/** @param own newest first */
export function wasRunning(own: readonly Pick<SvcmEvent, "kind" | "evidence">[]): boolean {
  const newest = own.find(({ kind }) => kind !== "action" && kind !== "write" && kind !== "apply");
  if (newest === undefined) return true;
  const { kind, evidence } = newest;
  return kind === "start" || kind === "restart" || evidence.includes(STARTED_AGAIN);
}

export const STARTED_AGAIN = "PM2 started it again.";
