/** The start and the end of PM2's daemon, and what they do to its processes. */
import type { LogEntry } from "../logs/log-line.ts";
import type { Draft, State } from "./log-state.ts";
import { formatSecond, floorToSecond } from "../words/time.ts";
import type { DaemonTraces } from "../pm2/daemon-traces.ts";
import { nameList } from "../words/text.ts";
import type { SvcmEvent } from "../api/events.ts";

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
  { pid, signMs }: DaemonTraces,
  { name, pmId }: { readonly name: string; readonly pmId: number | undefined },
): SvcmEvent | undefined {
  if (pid === null || signMs === null) return undefined;
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
      `PM2's daemon, pid ${pid}, ended without a message after ${formatSecond(at)}: it was killed or crashed, and its processes ended with it.`,
    ],
  };
}

/** Says what no daemon means for the process, with one command that brings it back. The end itself names the death. */
export function withoutDaemon({ savedNames }: DaemonTraces, name: string): string {
  const saved = nameList(savedNames);
  if (savedNames.includes(name)) return `No PM2 daemon runs. To bring back ${saved}: svcm boot restore`;
  const others = savedNames.length === 0 ? "" : `, only ${saved}`;
  return `No PM2 daemon runs. The saved list does not have ${name}${others}. To start what is declared: svcm apply`;
}

/** @param own newest first */
export function wasRunning(own: readonly Pick<SvcmEvent, "kind" | "evidence">[]): boolean {
  const newest = own.find(({ kind }) => kind !== "action" && kind !== "write" && kind !== "apply");
  if (newest === undefined) return true;
  const { kind, evidence } = newest;
  return kind === "start" || kind === "restart" || evidence.includes(STARTED_AGAIN);
}

export const STARTED_AGAIN = "PM2 started it again.";
