/** The processes and events of PM2's log, up to one of its lines. */
import type { ExecMode } from "../pm2/pm2-fields.ts";
import type { SvcmEvent } from "../api/events.ts";
import type { StopOrder } from "./causes.ts";
import type { LogEntry } from "../logs/log-line.ts";

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
