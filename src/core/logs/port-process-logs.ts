import type { ErrorTail } from "./error-block.ts";
import type { DaemonTraces } from "../pm2/daemon-traces.ts";
import type { LogEntry } from "./log-line.ts";

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

export interface LogCoverage {
  readonly exists: boolean;
  /** The time of the oldest line; null if there is none with a time that svcm can read. */
  readonly fromMs: number | null;
}

export interface HasProcessLogs {
  readonly processLogs: ProcessLogs;
}
