import type { DiskReading, HostReading, ProcessReading } from "../metrics/reading.ts";

/** The counters of this machine and of its processes. */
export interface Machine {
  /** As `process.platform`. */
  readonly platform: string;

  /** The usage of this process since its start. */
  own(): OwnUsage;

  /** Starts to measure; the reader keeps files open until it is closed. */
  open(): Promise<MachineReader>;
}

export interface OwnUsage {
  readonly cpuSeconds: number;
  readonly rssBytes: number;
}

export interface MachineReader {
  readonly cpuModel: string | null;

  /** @throws the system's error */
  host(): Promise<HostReading>;

  /**
   * The processes with these numbers, without those that have ended. A number names the process that had it at the first
   * call, until a call leaves it out: a later process with the same number is not mistaken for it.
   */
  processes(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessReading>>;

  /** The file systems that matter here, each once. Read every 15 seconds at most. */
  disks(): Promise<readonly DiskReading[]>;

  close(): void;
}

/** Detects changes of files without reading them. */
export interface FileStamps {
  /** The current state of each file; null if it does not exist or cannot be seen. A folder changes with its list of names. */
  of(paths: readonly string[]): readonly (FileStamp | null)[];

  /** The paths that certainly do not exist; a path that may not be looked at is not among them. */
  missing(paths: Iterable<string>): ReadonlySet<string>;
}

export interface FileStamp {
  /** Differs after every change. */
  readonly id: string;
  /** The last write of its content, in milliseconds since the epoch. */
  readonly modifiedMs: number;
}

/** Reads the async-context metrics of managed processes. */
export interface AsyncContext {
  /** Connections are kept until it is closed. */
  open(): AsyncContextClient;
}

export interface AsyncContextClient {
  /**
   * `GET http://127.0.0.1:<port>/async-context-metrics`, without credentials and without following a
   * redirect; size and time of the answer are bounded. It never throws.
   */
  get(port: number): Promise<AsyncContextAnswer>;

  close(): Promise<void>;
}

export type AsyncContextAnswer =
  | { readonly kind: "answer"; readonly status: number; readonly text: string }
  | { readonly kind: "too-large"; readonly status: number }
  | { readonly kind: "timeout" }
  | { readonly kind: "unreachable"; readonly code: string };
