import type { LogEvent } from "./log-events.ts";

export interface ErrorTail {
  readonly lines: readonly string[];
  readonly writtenMs: number;
}

const HEAP = /heap out of memory|OOMErrorHandler|^<--- Last few GCs --->/;
/** Times of collections and native frames. */
const REPORT = /^\s*(?:$|\d+: |-{3}|<---|\[\d+:0x|FATAL ERROR)/;
/** PM2's log has a resolution of one second, and V8 writes directly before the end. */
const AT_ONCE_MS = 2000;
/** Each error log is read for the last end of its process only. */
const MOST_LOGS = 20;

/** The cause is certain if V8's report is the last thing in the log. */
export async function withHeapErrors(
  events: readonly LogEvent[],
  tailOf: (process: LogEvent["event"]) => Promise<ErrorTail | undefined>,
): Promise<readonly LogEvent[]> {
  const last = new Map<number, LogEvent>();
  for (const logged of events) if (isEnd(logged)) last.set(logged.event.pmId ?? -1, logged);
  const aborted = [...last.values()].filter(({ event }) => event.signal === "SIGABRT").slice(0, MOST_LOGS);
  const found = new Map<LogEvent, LogEvent>();
  for (const logged of aborted) {
    const tail = await tailOf(logged.event).catch(() => undefined);
    if (tail !== undefined) found.set(logged, explained(logged, tail));
  }
  return found.size === 0 ? events : events.map((logged) => found.get(logged) ?? logged);
}

function explained(logged: LogEvent, { lines, writtenMs }: ErrorTail): LogEvent {
  const at = lines.findLastIndex((line) => HEAP.test(line));
  if (at === -1) return logged;
  const isLast = lines.slice(at + 1).every((line) => REPORT.test(line));
  return heapError(logged, isLast ? writtenMs : undefined);
}

function isEnd({ event: { kind } }: LogEvent): boolean {
  return kind === "exit" || kind === "stop" || kind === "restart";
}

/** @param writtenMs absent if other lines follow V8's report */
function heapError(logged: LogEvent, writtenMs: number | undefined): LogEvent {
  const { atMs, event } = logged;
  const isCertain = writtenMs !== undefined && Math.abs(writtenMs - atMs) <= AT_ONCE_MS;
  const sentence = "Its heap was full: V8 wrote that to its error log and aborted it.";
  const evidence = [sentence, ...event.evidence];
  return { ...logged, event: { ...event, cause: "crash", certainty: isCertain ? "certain" : "likely", evidence } };
}
