import { withoutPrefix, type ErrorTail } from "../logs/error-block.ts";
import type { LogEvent } from "./log-state.ts";

const HEAP = /heap out of memory|OOMErrorHandler|^<--- Last few GCs --->/;
/** Times of collections and native frames. */
const REPORT = /^\s*(?:$|\d+: |-{3}|<---|\[\d+:0x|FATAL ERROR)/;
/** PM2's log has a resolution of one second, and V8 writes directly before the end. */
const WRITE_DELAY_MS = 2000;
/** Each error log is read for the last end of its process only. */
const MAX_LOGS = 20;

export async function explainHeapErrors(
  events: readonly LogEvent[],
  tailOf: (process: LogEvent["event"]) => Promise<ErrorTail | undefined>,
): Promise<readonly LogEvent[]> {
  const last = new Map<number, LogEvent>();
  for (const logged of events) if (isEnd(logged)) last.set(logged.event.pmId ?? -1, logged);
  const aborted = [...last.values()].filter(({ event }) => event.signal === "SIGABRT").slice(0, MAX_LOGS);
  const explained = new Map<LogEvent, LogEvent>();
  for (const logged of aborted) {
    const tail = await tailOf(logged.event).catch(() => undefined);
    if (tail !== undefined) explained.set(logged, explainFromTail(logged, tail));
  }
  return explained.size === 0 ? events : events.map((logged) => explained.get(logged) ?? logged);
}

function explainFromTail(logged: LogEvent, { lines, writtenMs }: ErrorTail): LogEvent {
  const at = lines.findLastIndex((line) => HEAP.test(line));
  if (at === -1) return logged;
  const { atMs, event } = logged;
  const isLast = lines.slice(at + 1).every((line) => REPORT.test(withoutPrefix(line)));
  const isOfThisEnd = isLast && isWrittenAt(writtenMs, atMs);
  const sentence = isOfThisEnd
    ? "Its heap was full: V8 wrote that to its error log and aborted it."
    : "Its heap was full: V8 wrote that to its error log, perhaps at another end.";
  const evidence = [sentence, ...event.evidence];
  return { ...logged, event: { ...event, cause: "crash", certainty: "likely", evidence } };
}

/** PM2's log has whole seconds. */
export function isWrittenAt(writtenMs: number, endMs: number): boolean {
  return writtenMs >= endMs - WRITE_DELAY_MS && writtenMs <= endMs + 1000 + WRITE_DELAY_MS;
}

function isEnd({ event: { kind } }: LogEvent): boolean {
  return kind === "exit" || kind === "stop" || kind === "restart";
}
