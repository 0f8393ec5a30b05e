import type { Part } from "./parts.ts";
import type { RecorderResponse } from "../api/history.ts";
import type { RecorderStart } from "../api/names.ts";

/** The recorded history in `.svcm/history` of a repository. Only the owner can read it. */
export interface HistoryFiles {
  /**
   * Runs `work` while no other process records here.
   * @throws {FileError} ELOCKED, or another system code; errors of `work` pass through
   */
  withLock<T>(work: () => Promise<T>): Promise<T>;

  /** Appends lines to a file and syncs them. @throws {FileError} */
  append(name: string, lines: readonly string[]): Promise<void>;

  /** Empty if nothing was recorded. @throws {FileError} */
  list(): Promise<readonly Part[]>;

  /**
   * Reads the lines of a file. If it is damaged, returns the lines before the damage and an error code. @throws
   * {FileError}
   */
  read(name: string): Promise<PartText>;

  /** Replaces a file by these lines, gzipped, as a whole. @throws {FileError} */
  seal(name: string, lines: readonly string[]): Promise<void>;

  remove(name: string): Promise<void>;
}

export interface PartText {
  readonly lines: readonly string[];
  readonly damage?: "HISTORY_PART_DAMAGED";
}

/** Records the samples of one server until it is stopped. */
export interface Recorder {
  readonly state: Pick<RecorderResponse, "on" | "by" | "problem">;

  /** Does nothing if it is already recording. */
  start(by: RecorderStart): void;

  /** Resolves when the pending step is on disk. */
  stop(): Promise<void>;
}

/** The Prometheus server that keeps svcm's metrics for longer. */
export interface Prometheus {
  /** False if no URL is configured; then no query is sent. */
  readonly isConfigured: boolean;

  /** @throws {SvcmError} HISTORY_FAILED if the server does not respond in time, refuses, or returns too much */
  queryRange(query: RangeQuery, signal?: AbortSignal): Promise<readonly RangeSeries[]>;
}

export interface RangeQuery {
  readonly query: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
}

/** Times are in seconds; values are strings. */
export interface RangeSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [seconds: number, value: string])[];
}

export interface HasHistoryFiles {
  readonly historyFiles: HistoryFiles;
}

export interface HasPrometheus {
  readonly prometheus: Prometheus;
}

export interface HasRecorder {
  /** One per server. */
  readonly recorder: Recorder;
}
