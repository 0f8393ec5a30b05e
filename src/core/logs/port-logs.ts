import type { ProcessRecord } from "../pm2/process-record.ts";
import type { InputOf } from "../api/inputs.ts";
import type { LogLine, LogProblem, LogsResponse } from "../api/logs.ts";
import type { EndOfWorker } from "./early-errors.ts";
import type { ErrorTail } from "./error-block.ts";
import type { DaemonTraces } from "../pm2/daemon-traces.ts";
import type { LogEntry } from "./log-line.ts";

export interface LogQuery extends InputOf<"logs.read"> {
  /** The caller may read the files themselves, so a search need not hide from it how long a guess takes. */
  readonly readsFiles?: boolean;
}

/** Selects lines that are written from now on. */
export type LogFilter = Pick<
  LogQuery,
  "app" | "apps" | "grep" | "regexp" | "ignoreCase" | "level" | "stream" | "since"
>;

export interface LogWatch extends LogFilter {
  /** Number of existing lines to begin with. */
  readonly tail: number;
  /** If true, no line is lost: reading waits for a slow reader. Otherwise a slow reader gets only the newest lines. */
  readonly isLossless: boolean;
}

export interface LogBatch {
  /** Oldest first. */
  readonly lines: readonly LogLine[];
  /** Lines that were dropped before these. */
  readonly skipped: number;
  /** Only in the first batch. */
  readonly begin?: {
    /** The cursor for older lines; null if there are no older lines. */
    readonly older: string | null;
    /** Files that cannot be read. */
    readonly problems: readonly LogProblem[];
  };
}

/**
 * The log files of PM2's processes. Only their reader knows the environment values of the processes: it removes them
 * from every line. A command's lines are read in its thread, those of a server and of a pattern in a worker.
 *
 * Every method throws {SvcmError} LOGS_FAILED, PM2_FAILED, PROCESS_NOT_FOUND, or INVALID_REQUEST with one of these
 * codes:
 *
 * - `LOG_CURSOR_STALE`, `LOG_TOO_MANY_FILES`
 * - `LOG_PATTERN_INVALID`, `LOG_PATTERN_SLOW`
 */
export interface Logs {
  /** Returns the newest matching lines. */
  read(query: LogQuery, signal?: AbortSignal): Promise<LogsResponse>;

  /**
   * Yields the last lines, then new lines, at most one batch per 100 ms, until the signal is aborted. Requests with the
   * same filter share their batches.
   */
  watch(request: LogWatch, signal: AbortSignal): AsyncIterable<LogBatch>;

  close(): Promise<void>;
}

export interface HasLogs {
  readonly logs: Logs;
}

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

  /** The error that a worker wrote to `pm2.log` before its newest end in that time, from its first line on. */
  readEarlyErrors(end: EndOfWorker): Promise<readonly string[]>;

  /**
   * The end of the process's error log, wherever PM2 writes it; `undefined` if it cannot be read. Its lines decide, and are
   * never shown: they may be outside of the folders of `logFolders`.
   */
  readErrorTail(process: LoggedProcess): Promise<ErrorTail | undefined>;
}

export type LoggedProcess = Pick<ProcessRecord, "name" | "pmId" | "logFiles">;

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

export interface LogCoverage {
  readonly exists: boolean;
  /** The time of the oldest line; null if there is none with a time that svcm can read. */
  readonly fromMs: number | null;
}

export interface HasProcessLogs {
  readonly processLogs: ProcessLogs;
}
