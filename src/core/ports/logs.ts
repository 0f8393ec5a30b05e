import type { InputOf } from "../api/inputs.ts";
import type { LogLine, LogProblem, LogsResponse } from "../api/logs.ts";

export type LogQuery = InputOf<"logs.read">;

/** Chooses lines that are written from now on. */
export type LogFilter = Pick<
  LogQuery,
  "app" | "apps" | "grep" | "regexp" | "ignoreCase" | "level" | "stream" | "since"
>;

export interface LogWatch extends LogFilter {
  /** Number of lines to begin with. */
  readonly tail: number;
  /** Loses no line: reading waits for a slow reader. Otherwise such a reader gets the newest lines. */
  readonly isWhole: boolean;
}

export interface LogBatch {
  /** Oldest first. */
  readonly lines: readonly LogLine[];
  /** Lines that were left out before these. */
  readonly skipped: number;
  /** Only the first batch has it. */
  readonly begin?: {
    /** The cursor of the lines before it; null if there are none. */
    readonly older: string | null;
    /** Files that are not read. */
    readonly problems: readonly LogProblem[];
  };
}

/**
 * The log files of the processes of a PM2. A worker reads them, and it alone knows the values of the processes'
 * environments: no line leaves it with one of these.
 *
 * Every method throws {SvcmError} LOGS_FAILED, PM2_FAILED, PROCESS_NOT_FOUND, or INVALID_REQUEST with one of these codes:
 *
 * - `LOG_CURSOR_STALE`, `LOG_TOO_MANY_FILES`
 * - `LOG_PATTERN_INVALID`, `LOG_PATTERN_SLOW`
 */
export interface Logs {
  /** The newest lines that match. */
  read(query: LogQuery, signal?: AbortSignal): Promise<LogsResponse>;

  /**
   * The last lines, then the lines that are written, at most one batch in 100 ms, until the signal is aborted. Requests
   * with the same filter share their batches.
   */
  watch(request: LogWatch, signal: AbortSignal): AsyncIterable<LogBatch>;

  close(): Promise<void>;
}
