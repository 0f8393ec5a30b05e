import type { Part } from "../history/parts.ts";
import type { RecorderResponse } from "../api/history.ts";
import type { RecorderStart } from "../api/names.ts";

/** The files of the recorded past, in `.svcm/history` of a repository, for their owner alone. */
export interface HistoryFiles {
  /**
   * Runs `work` while no other process records here.
   * @throws {FileError} ELOCKED, or another system code; what `work` throws passes through
   */
  exclusively<T>(work: () => Promise<T>): Promise<T>;

  /** Adds lines to a part, and syncs them to disk. @throws {FileError} */
  append(name: string, lines: readonly string[]): Promise<void>;

  /** Empty if nothing was ever recorded. @throws {FileError} */
  parts(): Promise<readonly Part[]>;

  /** The lines of a part. A damaged one gives those before the damage, with the code of the damage. @throws {FileError} */
  read(name: string): Promise<PartText>;

  /** Replaces a part by these lines, gzipped, as a whole. @throws {FileError} */
  seal(name: string, lines: readonly string[]): Promise<void>;

  remove(name: string): Promise<void>;
}

export interface PartText {
  readonly lines: readonly string[];
  readonly damage?: "HISTORY_PART_DAMAGED";
}

/** Records the samples of one server, until it is stopped. */
export interface Recorder {
  readonly state: Pick<RecorderResponse, "on" | "by" | "problem">;

  /** Does nothing if it records already. */
  start(by: RecorderStart): void;

  /** Resolves when the step under way is on the disk. */
  stop(): Promise<void>;
}

/** The Prometheus that keeps the metrics of svcm for longer. */
export interface Prometheus {
  /** False without an address, and then no query is sent. */
  readonly isSet: boolean;

  /** @throws {SvcmError} HISTORY_FAILED if it does not answer in time, refuses, or answers too much */
  queryRange(query: RangeQuery, signal?: AbortSignal): Promise<readonly RangeSeries[]>;
}

export interface RangeQuery {
  readonly query: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
}

/** Times are in seconds, values are texts. */
export interface RangeSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [seconds: number, value: string])[];
}
