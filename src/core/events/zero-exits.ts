import type { ExecMode } from "../pm2/exec-mode.ts";
import type { ErrorTail } from "../logs/error-block.ts";
import { explainZero, type ZeroEvidence } from "./causes.ts";
import { isWrittenAt } from "./heap-error.ts";
import type { LogEvent } from "./log-state.ts";

/** Ends further apart are not a repetition. */
const REPEAT_MS = 15 * 60_000;
/** Each error log is read for the last end of its process only. */
const MAX_LOGS = 20;

interface Witnesses {
  /** The mode that PM2's list has, for a process whose start the log does not have. */
  readonly modeOf: (process: LogEvent["event"]) => ExecMode | undefined;
  readonly tailOf: (process: LogEvent["event"]) => Promise<ErrorTail | undefined>;
}

export function needsMode({ zero }: LogEvent): boolean {
  return zero !== undefined && zero.mode === undefined;
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
      const hasFreshErrors = tail !== undefined && tail.lines.length > 0 && isWrittenAt(tail.writtenMs, logged.atMs);
      const isRepeated = [own[at - 1], own[at + 1]].some(
        (other) => other !== undefined && Math.abs(other.atMs - logged.atMs) <= REPEAT_MS,
      );
      const evidence = { hasFreshErrors, isRepeated, isRestarted: logged.zero.isRestarted };
      explained.set(logged, explain(logged, mode, evidence));
    }
  }
  return explained.size === 0 ? events : events.map((logged) => explained.get(logged) ?? logged);
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
