import type { InputOf } from "../api/inputs.ts";
import type { LogLine, LogProblem, LogsResponse } from "../api/logs.ts";

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
