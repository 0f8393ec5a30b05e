import type { ErrorTail } from "../events/heap-error.ts";
import type { LogEntry } from "../events/log-line.ts";

export interface ProcessLogs {
  /**
   * The entries of `pm2.log`, the oldest first. Empty if PM2 has no log.
   * @throws {FileError} if it cannot be read, or is not a regular file; the signal's reason if it is aborted
   */
  pm2(wanted: WantedLog, signal?: AbortSignal): Promise<LogPart>;

  /** True if `pm2.log` has a match of this, or is too large to search. @throws {FileError} as `pm2` */
  has(pattern: RegExp): Promise<boolean>;

  /** The end of the process's error log at its usual place; `undefined` if there is none. */
  errorTail(process: { readonly name: string; readonly pmId: number }): Promise<ErrorTail | undefined>;
}

/** Times in milliseconds since 1970. */
export interface WantedLog {
  readonly sinceMs: number;
  /** Reading ends after this many entries that are not younger than a time. */
  readonly most?: { readonly entries: number; readonly upToMs: number } | undefined;
  /** A log without a match of each of these counts as empty. A match is shorter than a kilobyte. */
  readonly needs?: readonly RegExp[] | undefined;
}

export interface LogPart {
  readonly entries: readonly LogEntry[];
  /** False if an older part of the log was not read because the log is too large. */
  readonly isComplete: boolean;
  /** True if reading ended because there are as many entries as wanted. */
  readonly isCut: boolean;
}
