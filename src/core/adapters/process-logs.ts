import { join } from "node:path";
import type { ErrorTail } from "../events/heap-error.ts";
import { logEntry, type LogEntry } from "../events/log-line.ts";
import type { Pm2LogPart, ProcessLogs, Pm2LogQuery } from "../ports/process-logs.ts";
import { withLog, type OpenLog, linesBackwards } from "./files/log.ts";
import { read } from "./files/system.ts";

/** A crash loop writes this in days. */
const MOST_BYTES = 64 * 2 ** 20;
const SEARCHED_BYTES = 256 * 1024;
const OVERLAP_BYTES = 1024;
const MOST_ENTRIES = 500_000;
const MOST_ERROR_BYTES = 256 * 1024;
const MOST_ERROR_LINES = 200;
/** Other names could lead out of the folder. */
const PLAIN_NAME = /^[\w-][\w.-]{0,199}$/;

export function nodeProcessLogs(pm2Home: string): ProcessLogs {
  return {
    async readPm2Log(wanted, signal) {
      const found = await withLog(join(pm2Home, "pm2.log"), async (log) =>
        (await mayHave(log, wanted.required)) ? await entriesOf(log, wanted, signal) : undefined,
      );
      return found ?? { entries: [], isComplete: true, isTruncated: false };
    },
    async contains(pattern) {
      return (await withLog(join(pm2Home, "pm2.log"), (log) => mayHave(log, [pattern]))) ?? false;
    },
    async readErrorTail({ name, pmId }) {
      if (!PLAIN_NAME.test(name)) return undefined;
      for (const file of [`${name}-error-${pmId}.log`, `${name}-error.log`]) {
        const found = await withLog(join(pm2Home, "logs", file), lastLines);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** The clock may have been set back for a while, so a full step of old lines ends it. */
async function entriesOf({ fd, size }: OpenLog, wanted: Pm2LogQuery, signal?: AbortSignal): Promise<Pm2LogPart> {
  const { sinceMs, limit: most = { entries: Infinity, upToMs: Infinity } } = wanted;
  const entries: LogEntry[] = [];
  let bytesRead = 0;
  let counted = 0;
  const part = (isComplete: boolean, isCut = false): Pm2LogPart => ({
    entries: entries.toReversed(),
    isComplete,
    isTruncated: isCut,
  });
  for await (const { lines, bytes } of linesBackwards(fd, size)) {
    signal?.throwIfAborted();
    bytesRead += bytes;
    const found = lines.flatMap((line) => logEntry(line) ?? []);
    const young = found.filter(({ atMs }) => atMs >= sinceMs);
    entries.push(...young);
    counted += found.filter(({ atMs }) => atMs <= most.upToMs).length;
    if (young.length === 0 && found.length > 0) return part(true);
    if (counted > most.entries && bytesRead < size) return part(true, true);
    if (bytesRead > MOST_BYTES || entries.length > MOST_ENTRIES) return part(bytesRead >= size);
  }
  return part(true);
}

async function mayHave({ fd, size }: OpenLog, patterns: readonly RegExp[] = []): Promise<boolean> {
  if (size > MOST_BYTES) return true;
  let missing = patterns;
  const chunk = Buffer.allocUnsafe(SEARCHED_BYTES);
  for (let at = 0; missing.length > 0;) {
    const bytes = chunk.subarray(0, await read(fd, chunk, at));
    const text = bytes.toString("utf8");
    missing = missing.filter((pattern) => !pattern.test(text));
    if (bytes.length <= OVERLAP_BYTES) break;
    at += bytes.length - OVERLAP_BYTES;
  }
  return missing.length === 0;
}

async function lastLines({ fd, size, writtenMs }: OpenLog): Promise<ErrorTail> {
  const found: string[] = [];
  let bytesRead = 0;
  for await (const { lines, bytes } of linesBackwards(fd, size)) {
    found.push(...lines.filter((line) => line.trim() !== ""));
    bytesRead += bytes;
    if (found.length >= MOST_ERROR_LINES || bytesRead > MOST_ERROR_BYTES) break;
  }
  return { lines: found.slice(0, MOST_ERROR_LINES).toReversed(), writtenMs };
}
