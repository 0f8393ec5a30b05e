/** Sources of events: PM2's log, other evidence about its processes, and the feed of new events. */
import type { SvcmEvent } from "../api/events.ts";
import type { ErrorTail } from "../events/heap-error.ts";
import type { LogCoverage } from "../events/counted-ends.ts";
import type { DaemonTraces } from "../events/lost-daemon.ts";
import type { LogEntry } from "../events/log-line.ts";
import type { EventFilter } from "../events/page.ts";
import type { Kernel, RunningCommand, Sighting } from "../events/sightings.ts";

export interface ProcessLogs {
  /**
   * The entries of `pm2.log`, oldest first. Empty if there is no such file.
   * @throws {FileError} if it cannot be read or is not a regular file; the signal's reason if it is aborted
   */
  readPm2Log(query: Pm2LogQuery, signal?: AbortSignal): Promise<Pm2LogPart>;

  /** True if `pm2.log` contains a match, or is too large to search. @throws {FileError} as `readPm2Log` */
  contains(pattern: RegExp): Promise<boolean>;

  /** The time back to which `pm2.log` reaches. @throws {FileError} as `readPm2Log` */
  readCoverage(): Promise<LogCoverage>;

  /** Traces that the last daemon left in PM2_HOME. */
  readDaemonTraces(): Promise<DaemonTraces>;

  /** The end of the process's error log at its default path; `undefined` if there is no log. */
  readErrorTail(process: { readonly name: string; readonly pmId: number }): Promise<ErrorTail | undefined>;
}

/** Times are in milliseconds since 1970. */
export interface Pm2LogQuery {
  readonly sinceMs: number;
  /** Reading stops after this many entries that are not newer than `upToMs`. */
  readonly limit?: { readonly entries: number; readonly upToMs: number } | undefined;
  /**
   * If one of these does not match anywhere in the log, the log counts as empty. A match must be shorter than a
   * kilobyte.
   */
  readonly required?: readonly RegExp[] | undefined;
}

export interface Pm2LogPart {
  readonly entries: readonly LogEntry[];
  /** False if the log is too large and an older part was not read. */
  readonly isComplete: boolean;
  /** True if reading stopped at the wanted number of entries. */
  readonly isTruncated: boolean;
}

/** Evidence about processes in addition to PM2's log. */
export interface Sightings {
  /** The stored sightings from `sinceMs` on, oldest first. @throws {FileError} if they cannot be read */
  readSince(sinceMs: number): Promise<readonly Sighting[]>;

  /** Stores sightings next to PM2's files, for every svcm process of this PM2. @throws {FileError} */
  append(sightings: readonly Sighting[]): Promise<void>;

  /** Empty if the system does not provide the facts. */
  readKernel(): Promise<Kernel>;

  /** The PM2 commands that are now running for this PM2. */
  runningCommands(): Promise<readonly RunningCommand[]>;

  /** The pids of PM2's processes by PM2 id, from PM2's files. */
  readPids(): Promise<ReadonlyMap<number, number>>;

  /** Calls back when PM2's log or svcm's audit log may have changed. @returns a function that stops watching */
  watch(onChange: () => void): () => void;
}

/** New events as they happen. */
export interface EventFeed {
  /**
   * Yields events from now on, oldest first, a few seconds after they happened, because their cause may only be known
   * then. A slow reader misses the oldest ones.
   * @throws {SvcmError} EVENTS_FAILED, AUDIT_FAILED
   */
  watch(signal: AbortSignal, request: EventRequest): AsyncIterable<SvcmEvent>;
}

export interface EventRequest extends EventFilter {
  /** A whole second of the recent past, in milliseconds since 1970; the default is the time of the first read. */
  readonly fromMs?: number;
}
