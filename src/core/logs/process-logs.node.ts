import { earlyErrors } from "./early-errors.ts";
import type { ErrorTail } from "./error-block.ts";
import type { LoggedProcess, Pm2LogPart, ProcessLogs, Pm2LogQuery } from "./port-logs.ts";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { ProcessRecord } from "../pm2/process-record.ts";

import { lineTime, logEntry, type LogEntry } from "./log-line.ts";

import { isOfOther, withLogFile, type OpenLog, readLinesBackwards } from "../files/log.ts";
import { read } from "../files/system.ts";
import { fromZone } from "../words/time.ts";
import { otherZone } from "../pm2/daemon/daemon.ts";
import { readDaemonTraces } from "../pm2/daemon/daemon-traces.ts";

/** A crash loop writes this in days. */
const MAX_BYTES = 64 * 2 ** 20;
const SEARCH_CHUNK_BYTES = 256 * 1024;
const OVERLAP_BYTES = 1024;
const MAX_ENTRIES = 500_000;
const MAX_ERROR_BYTES = 256 * 1024;
const MAX_ERROR_LINES = 200;
/** A crash loop of another app writes there, too. */
const MAX_DAEMON_BYTES = 2 ** 20;
/** Other names could lead out of the folder. */
const PLAIN_NAME = /^[\w-][\w.-]{0,199}$/;

export function nodeProcessLogs(pm2Home: string): ProcessLogs {
  return {
    async readPm2Log(query, signal) {
      const found = await withLogFile(join(pm2Home, "pm2.log"), async (log) =>
        (await mayContain(log, query.required))
          ? await readEntries(log, { ...query, toMoment: momentsOf(pm2Home) }, signal)
          : undefined,
      );
      return found ?? { entries: [], isComplete: true, isTruncated: false };
    },
    async contains(pattern) {
      return (await withLogFile(join(pm2Home, "pm2.log"), (log) => mayContain(log, [pattern]))) ?? false;
    },
    async readCoverage() {
      const fromMs = await withLogFile(join(pm2Home, "pm2.log"), readFirstTime);
      return {
        exists: fromMs !== undefined,
        fromMs: fromMs === undefined || fromMs === null ? null : momentsOf(pm2Home)(fromMs),
      };
    },
    readDaemonTraces: () => readDaemonTraces(pm2Home),
    async readEarlyErrors(end) {
      const lines = await withLogFile(join(pm2Home, "pm2.log"), readDaemonLines);
      return earlyErrors(lines ?? [], end, momentsOf(pm2Home));
    },
    async readErrorTail(process) {
      const withLogOf = guardedLogs(process, pm2Home);
      for (const { error, out } of logFilesOf(process, pm2Home)) {
        const tail = await withLogOf(error, readLastLines);
        if (tail === undefined) continue;
        return { ...tail, outputMs: await withLogOf(out, ({ writtenMs }) => Promise.resolve(writtenMs)) };
      }
      return undefined;
    },
  };
}

type WithLog = <T>(path: string | null, use: (log: OpenLog) => Promise<T>) => Promise<T | undefined>;

/** The superuser does not read what the user of PM2 may not. */
function guardedLogs({ logFiles }: LoggedProcess, pm2Home: string): WithLog {
  const isAllowed = ({ fd }: OpenLog): boolean => logFiles === undefined || !isOfOther(fd, statSync(pm2Home).uid);
  return async (path, use) =>
    path === null ? undefined : await withLogFile(path, async (log) => (isAllowed(log) ? await use(log) : undefined));
}

type LogFiles = NonNullable<ProcessRecord["logFiles"]>;

/** In the order in which they are tried. Instances of an app may share a log. */
function logFilesOf({ name, pmId, logFiles }: LoggedProcess, pm2Home: string): LogFiles[] {
  if (logFiles !== undefined) return [logFiles];
  if (!PLAIN_NAME.test(name)) return [];
  const start = join(pm2Home, "logs", name);
  return [`-${pmId}.log`, ".log"].map((end) => ({ error: `${start}-error${end}`, out: `${start}-out${end}` }));
}

/** PM2 writes the local time of its daemon, which may have another zone. */
function momentsOf(pm2Home: string): (atMs: number) => number {
  const zone = otherZone(pm2Home);
  return (zone === undefined ? undefined : fromZone(zone)) ?? ((atMs) => atMs);
}

interface EntriesQuery extends Pm2LogQuery {
  readonly toMoment: (atMs: number) => number;
}

/** The clock may have been set back for a while, so a full step of old lines ends it. */
async function readEntries({ fd, size }: OpenLog, query: EntriesQuery, signal?: AbortSignal): Promise<Pm2LogPart> {
  const { sinceMs, toMoment, limit = { entries: Infinity, upToMs: Infinity } } = query;
  const entries: LogEntry[] = [];
  let bytesRead = 0;
  let countedEntries = 0;
  const part = (isComplete: boolean, isCut = false): Pm2LogPart => ({
    entries: entries.toReversed(),
    isComplete,
    isTruncated: isCut,
  });
  for await (const { lines, bytes } of readLinesBackwards(fd, size)) {
    signal?.throwIfAborted();
    bytesRead += bytes;
    const found = lines.flatMap((line) => {
      const entry = logEntry(line);
      return entry === undefined ? [] : [{ ...entry, atMs: toMoment(entry.atMs) }];
    });
    const recent = found.filter(({ atMs }) => atMs >= sinceMs);
    entries.push(...recent);
    countedEntries += found.filter(({ atMs }) => atMs <= limit.upToMs).length;
    if (recent.length === 0 && found.length > 0) return part(true);
    if (countedEntries > limit.entries && bytesRead < size) return part(true, true);
    if (bytesRead > MAX_BYTES || entries.length > MAX_ENTRIES) return part(bytesRead >= size);
  }
  return part(true);
}

async function mayContain({ fd, size }: OpenLog, patterns: readonly RegExp[] = []): Promise<boolean> {
  if (size > MAX_BYTES) return true;
  let missing = patterns;
  const chunk = Buffer.allocUnsafe(SEARCH_CHUNK_BYTES);
  for (let at = 0; missing.length > 0;) {
    const bytes = chunk.subarray(0, await read(fd, chunk, at));
    const text = bytes.toString("utf8");
    missing = missing.filter((pattern) => !pattern.test(text));
    if (bytes.length <= OVERLAP_BYTES) break;
    at += bytes.length - OVERLAP_BYTES;
  }
  return missing.length === 0;
}

async function readFirstTime({ fd }: OpenLog): Promise<number | null> {
  const chunk = Buffer.allocUnsafe(SEARCH_CHUNK_BYTES);
  const text = chunk.subarray(0, await read(fd, chunk, 0)).toString("utf8");
  for (const line of text.split("\n")) {
    const atMs = lineTime(line);
    if (atMs !== undefined) return atMs;
  }
  return null;
}

async function readDaemonLines({ fd, size }: OpenLog): Promise<readonly string[]> {
  const lines: string[] = [];
  let bytesRead = 0;
  for await (const part of readLinesBackwards(fd, size)) {
    lines.push(...part.lines);
    bytesRead += part.bytes;
    if (bytesRead > MAX_DAEMON_BYTES) break;
  }
  return lines.toReversed();
}

async function readLastLines({ fd, size, writtenMs }: OpenLog): Promise<ErrorTail> {
  const found: string[] = [];
  let bytesRead = 0;
  for await (const { lines, bytes } of readLinesBackwards(fd, size)) {
    found.push(...lines.filter((line) => line.trim() !== ""));
    bytesRead += bytes;
    if (found.length >= MAX_ERROR_LINES || bytesRead > MAX_ERROR_BYTES) break;
  }
  return { lines: found.slice(0, MAX_ERROR_LINES).toReversed(), writtenMs };
}
