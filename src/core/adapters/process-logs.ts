import { join } from "node:path";
import { logEntry, type LogEntry } from "../events/log-line.ts";
import type { LogPart, ProcessLogs } from "../ports/process-logs.ts";
import { attempting, refuse } from "./files/file-error.ts";
import { linesBackwards } from "./files/lines-backwards.ts";
import { close, fstat, isRefusal, O_RDONLY, open, SAFELY } from "./files/system.ts";

/** More than a daemon writes in months; a crash loop writes it in days. */
const MOST_BYTES = 64 * 2 ** 20;
const MOST_ENTRIES = 200_000;
/** PM2's own clock never writes out of order, but the machine's may be set back. */
const SLACK_MS = 3_600_000;

export function nodeProcessLogs(pm2Home: string): ProcessLogs {
  return {
    async pm2(sinceMs, signal) {
      const found = await withLog(join(pm2Home, "pm2.log"), (fd, size) => entriesOf(fd, size, sinceMs, signal));
      return found ?? { entries: [], isComplete: true };
    },
  };
}

async function withLog<T>(path: string, use: (fd: number, size: number) => Promise<T>): Promise<T | undefined> {
  return await attempting("read", path, async () => {
    const fd = await openIfThere(path);
    if (fd === undefined) return undefined;
    try {
      const stat = await fstat(fd);
      if (!stat.isFile()) throw refuse("ENOTREG", "read", path);
      return await use(fd, Number(stat.size));
    } finally {
      await close(fd);
    }
  });
}

async function openIfThere(path: string): Promise<number | undefined> {
  try {
    return await open(path, O_RDONLY | SAFELY);
  } catch (error) {
    if (isRefusal(error, "ENOENT")) return undefined;
    if (isRefusal(error, "ENXIO", "ELOOP")) throw refuse("ENOTREG", "read", path);
    throw error;
  }
}

async function entriesOf(fd: number, size: number, sinceMs: number, signal?: AbortSignal): Promise<LogPart> {
  const entries: LogEntry[] = [];
  let bytesRead = 0;
  for await (const { lines, bytes } of linesBackwards(fd, size)) {
    signal?.throwIfAborted();
    bytesRead += bytes;
    for (const line of lines) {
      const entry = logEntry(line);
      if (entry === undefined) continue;
      if (entry.atMs < sinceMs - SLACK_MS) return { entries: entries.toReversed(), isComplete: true };
      entries.push(entry);
    }
    if (bytesRead > MOST_BYTES || entries.length > MOST_ENTRIES) {
      return { entries: entries.toReversed(), isComplete: bytesRead >= size };
    }
  }
  return { entries: entries.toReversed(), isComplete: true };
}
