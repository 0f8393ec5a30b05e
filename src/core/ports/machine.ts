import type { HostSystem } from "../api/host-system.ts";
import type { DiskReading, HostReading, Listener, ProcessReading } from "../metrics/reading.ts";

export interface Machine {
  readonly platform: string;

  ownUsage(): OwnUsage;

  /** `undefined` if the system does not provide it. Processes of other users may be missing. */
  listeners(): Promise<readonly Listener[] | undefined>;

  /** The reader keeps files open until it is closed. */
  openReader(): Promise<MachineReader>;
}

export interface OwnUsage {
  readonly cpuSeconds: number;
  readonly rssBytes: number;
}

export interface MachineReader {
  readonly cpuModel: string | null;

  /** Static facts, read once for all readers; null until they are known. */
  readonly system: HostSystem | null;

  /** Resolves when the facts are known, at the latest after a second. */
  readonly systemReady: Promise<void>;

  /** @throws the system's error */
  host(): Promise<HostReading>;

  /**
   * Reads the running processes with these pids. A pid keeps its first process until a call omits it, so a later
   * process with the same pid is not mistaken for it.
   */
  processes(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessReading>>;

  /** Relevant file systems, read every 15 seconds at most. */
  disks(): Promise<readonly DiskReading[]>;

  close(): void;
}

export interface FileStamps {
  /** Null for a file that does not exist or cannot be accessed. A folder changes with its list of names. */
  read(paths: readonly string[]): readonly (FileStamp | null)[];

  /** Paths that certainly do not exist. A path without access permission is not included. */
  missing(paths: Iterable<string>): ReadonlySet<string>;
}

export interface FileStamp {
  /** Changes with every change of the file. */
  readonly id: string;
  readonly modifiedMs: number;
}

export interface AsyncContext {
  /** Keeps connections open until it is closed. */
  open(): AsyncContextClient;
}

export interface AsyncContextClient {
  /**
   * `GET http://127.0.0.1:<port>/async-context-metrics` without credentials and redirects, with limits for size and
   * time. Never throws.
   */
  get(port: number): Promise<AsyncContextResult>;

  close(): Promise<void>;
}

export type AsyncContextResult =
  | { readonly kind: "answer"; readonly status: number; readonly text: string }
  | { readonly kind: "too-large"; readonly status: number }
  | { readonly kind: "timeout" }
  | { readonly kind: "unreachable"; readonly code: string };
