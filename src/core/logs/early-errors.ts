/**
 * Errors of a worker of a cluster before PM2 has given it a log, as in a module of `--require`, and of V8 at an abort. Both
 * go to `pm2.log`, between the lines of PM2, which name no process for them.
 */
import { lastErrorBlock, LAST_OF_UNCAUGHT } from "./error-block.ts";
import { lineTime, type LogEntry, logEntry } from "./log-line.ts";

/** Times are in milliseconds since 1970. */
export interface EndOfWorker {
  readonly name: string;
  readonly fromMs: number;
  readonly upToMs: number;
}

type Exit = Extract<LogEntry, { readonly type: "exit" }>;

const FATAL = "FATAL ERROR";
/** Another process that began to start this long before has written what it writes while it loads. */
const LOADED_MS = 10_000;

/**
 * Returns the lines from the first line of the error on, or none if another process may have written them.
 * @param lines the end of `pm2.log`, oldest first
 */
export function earlyErrors(
  lines: readonly string[],
  { name, fromMs, upToMs }: EndOfWorker,
  toMoment: (atMs: number) => number = (atMs) => atMs,
): readonly string[] {
  const end = lines.findLastIndex((line) => {
    const entry = logEntry(line);
    return entry?.type === "exit" && !entry.isOld && entry.name === name && toMoment(entry.atMs) <= upToMs;
  });
  const entry = logEntry(lines[end] ?? "");
  return entry?.type === "exit" && toMoment(entry.atMs) >= fromMs ? errorBefore(lines, end, entry) : [];
}

function errorBefore(lines: readonly string[], end: number, entry: Exit): readonly string[] {
  const isAbort = entry.signal === "SIGABRT";
  const { written, isOwn } = writtenBefore(lines, end, entry);
  const blocks = isAbort ? written.filter((line) => line.startsWith(FATAL)).map((line) => [line]) : blocksOf(written);
  const reasons = new Set(blocks.map(([first]) => first));
  return reasons.size === 1 && (isOwn || isAbort) ? (blocks.at(-1) ?? []) : [];
}

/** Up to the line of PM2 before them, which is of the same app if only this app was at its start. */
function writtenBefore(
  lines: readonly string[],
  end: number,
  { name, atMs: endMs }: Exit,
): { readonly written: readonly string[]; readonly isOwn: boolean } {
  const written: string[] = [];
  for (let at = end - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? "";
    const atMs = lineTime(line);
    if (atMs === undefined) {
      written.unshift(line);
      continue;
    }
    const isOwn = line.includes(` App [${name}:`) || line.includes(` App name:${name} id:`);
    if (written.length > 0) return { written, isOwn: isOwn || endMs - atMs > LOADED_MS };
    if (!isOwn && !line.endsWith(" disconnected")) break;
  }
  return { written: [], isOwn: false };
}

/** One per error. Instances of an app that fail together write the same one. */
function blocksOf(written: readonly string[]): (readonly string[])[] {
  const ends = [...written.flatMap((line, at) => (LAST_OF_UNCAUGHT.test(line) ? [at + 1] : [])), written.length];
  return ends.flatMap((end, at) => {
    const block = written.slice(ends[at - 1] ?? 0, end);
    const { reason, hasError } = lastErrorBlock(block.map((text) => ({ text })));
    if (reason === undefined || !hasError) return [];
    return [[reason, ...block.slice(block.findLastIndex((line) => line.startsWith(reason)) + 1)]];
  });
}
