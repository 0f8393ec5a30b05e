import type { ErrorCode } from "../../api/issue.ts";
import type { CutWay, LogStream } from "../../api/names.ts";
import type { LogrotateRule } from "./logrotate.ts";

/** The log files of PM2 on the disk: their sizes, who writes them, and the cutting of them. */
export interface LogCare {
  /**
   * Reads no line. Unless it must change nothing, keeps the sizes for the growth at a later look.
   * @param options `writersFrom` spares a look at every process of the machine if no log has that size
   */
  look(options?: { readonly keepsSizes?: boolean; readonly writersFrom?: number }): Promise<LogSurvey>;

  /** The last look of this process. */
  last(): LogSurvey | undefined;

  /** Tries on a file of svcm which way this file system permits. */
  wayAt(path: string): Promise<{ readonly way: CutWay; readonly reason: string | undefined }>;

  /**
   * Cuts off the head of the log until it is shorter than `maxBytes`. No line is lost if the process is
   * killed: the next run finishes or undoes the rotation.
   * @throws {FileError} ENOSPC, ELOCKED, ECHANGED, LOG_CUT_FAILED and the codes of the system
   */
  rotate(log: SurveyedLog, options: RotateOptions): Promise<Rotation>;

  /** Finishes or undoes a rotation that was killed. @throws {FileError} as `rotate` */
  finish(path: string): Promise<void>;

  /** Cuts off older lines without a copy, and leaves the newest bytes. Returns the bytes that went. @throws as `rotate` */
  dropHead(log: SurveyedLog, tailBytes: number): Promise<number>;

  /** Removes rotated files of svcm. */
  remove(paths: readonly string[]): Promise<void>;

  /** Makes PM2 open its logs again. @throws {SvcmError} PM2_FAILED */
  reopen(): Promise<void>;
}

export interface RotateOptions {
  readonly way: CutWay;
  readonly maxBytes: number;
  readonly keep: number;
  readonly compress: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface Rotation {
  /** Names of the new files, oldest first, without `.gz`. */
  readonly files: readonly string[];
  readonly bytes: number;
  /** Rotated files that went because there were more than `keep`. */
  readonly removed: readonly string[];
}

export interface SurveyedLog {
  readonly path: string;
  /** Null for PM2's own log, and for a file whose app PM2 does not list. */
  readonly app: string | null;
  readonly stream: LogStream | null;
  readonly dev: number;
  readonly ino: number;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Of any tool. */
  readonly rotated: readonly { readonly path: string; readonly bytes: number; readonly isOwn: boolean }[];
  /** Processes that have it open for writing. */
  readonly writers: readonly LogWriter[];
  /** The apps whose folder PM2 watches and which has the log in it. */
  readonly watchedBy: readonly string[];
  /** At an earlier look, at least a minute ago. */
  readonly earlier: { readonly atMs: number; readonly bytes: number } | null;
  /** Why svcm does not open it. */
  readonly problem: { readonly code: ErrorCode; readonly details: string } | null;
  /** A rotation was killed. */
  readonly isUnfinished: boolean;
}

export interface LogWriter {
  readonly pid: number;
  readonly program: string;
  readonly isAppending: boolean;
}

export interface DeletedLog {
  readonly path: string;
  readonly pid: number;
  readonly bytes: number;
}

export interface LogDisk {
  readonly path: string;
  readonly availableBytes: number;
  readonly totalBytes: number;
}

export interface LogSurvey {
  readonly atMs: number;
  readonly home: string;
  readonly logs: readonly SurveyedLog[];
  readonly deleted: readonly DeletedLog[];
  readonly disks: ReadonlyMap<number, LogDisk>;
  /** The running module pm2-logrotate. It rotates each log of PM2's list, and PM2's own. */
  readonly hasPm2Logrotate: boolean;
  readonly logrotate: readonly LogrotateRule[];
  /** Not even PM2's own processes are visible. */
  readonly areWritersHidden: boolean;
  readonly isHomeOfOther: boolean;
  /** When PM2 last wrote that the disk is full, if it has not opened its logs again since. */
  readonly fullDiskMs: number | null;
}

export interface HasLogCare {
  readonly logCare: LogCare;
}
