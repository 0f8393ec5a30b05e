/** The start and the end of PM2's daemon, and what they do to its processes. */
import type { LogEntry } from "../logs/log-line.ts";
import type { Draft, State } from "./log-state.ts";
import { formatSecond } from "../words/seconds.ts";

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
