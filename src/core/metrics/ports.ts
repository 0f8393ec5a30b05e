/** What telemetry needs of the world, beside the ports that others need, too. */
import type { DiskReading, HostReading, ProcessReading } from "./reading.ts";

/** The counters of this machine and of its processes. */
export interface Machine {
  /** As `process.platform`. */
  readonly platform: string;

  /** What this process itself used since it was started. */
  own(): OwnUsage;

  /** Starts to measure; what a reader holds open it holds until it is closed. */
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
   * The processes of these numbers, without those that have ended. A number stands for the process
   * that had it when it was first asked for, until it is missing from a call: a process that got the
   * number of one that has ended is not taken for it.
   */
  processes(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessReading>>;

  /** The file systems that matter here, each once. Asked anew every 15 seconds at most. */
  disks(): Promise<readonly DiskReading[]>;

  close(): void;
}

/** Whether files changed, told without reading them. */
export interface FileStamps {
  /** The state of each file now; null where it is not there or cannot be seen. A folder changes with its list of names. */
  of(paths: readonly string[]): readonly (FileStamp | null)[];

  /** Those of these paths at which certainly nothing stands; one that may not be looked at is not among them. */
  missing(paths: Iterable<string>): ReadonlySet<string>;
}

export interface FileStamp {
  /** Differs after every change. */
  readonly id: string;
  /** When its content was written last, in milliseconds since the epoch. */
  readonly modifiedMs: number;
}

/** Asks managed processes for the metrics of their async contexts. */
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
