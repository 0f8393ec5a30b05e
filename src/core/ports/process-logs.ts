import type { ErrorTail } from "../events/heap-error.ts";
import type { LogEntry } from "../events/log-line.ts";

export interface ProcessLogs {
  /**
   * The entries of `pm2.log` from `sinceMs` on, the oldest first. Empty if PM2 has no log.
   * @throws {FileError} if it cannot be read, or is not a regular file; the signal's reason if it is aborted
   */
  pm2(sinceMs: number, signal?: AbortSignal): Promise<LogPart>;

  /** The end of the process's error log at its usual place; `undefined` if there is none. */
  errorTail(process: { readonly name: string; readonly pmId: number }): Promise<ErrorTail | undefined>;
}

export interface LogPart {
  readonly entries: readonly LogEntry[];
  /** False if an older part of the log was not read. */
  readonly isComplete: boolean;
}
