import type { HostSystem } from "../api/metrics.ts";
import type { DiskReading, HostReading, Listener, ProcessActivity, ProcessReading, TcpSocket } from "./reading.ts";

export interface Machine {
  readonly platform: string;

  ownUsage(): OwnUsage;

  /** `undefined` if the system does not provide it. Processes of other users may be missing. */
  listeners(): Promise<readonly Listener[] | undefined>;

  /** Facts of the kernel about other processes; `undefined` on other systems than Linux. */
  openTrees(): Promise<ProcessTrees | undefined>;

  /** The reader keeps files open until it is closed. */
  openReader(): Promise<MachineReader>;
}

/** Reads `/proc` at each call. Anything that this user may not see is missing. */
export interface ProcessTrees {
  /** By process: its children, their children, and so on. */
  descendants(pids: readonly number[]): ReadonlyMap<number, readonly number[]>;

  activity(pids: readonly number[]): ReadonlyMap<number, ProcessActivity>;

  tcpSockets(): readonly TcpSocket[];

  /** False for a process that runs, but of which this user may not see what it has open. */
  shows(pid: number): boolean;

  /** The inodes of the sockets of a process; `undefined` if this user may not know them. */
  socketInodes(pid: number): ReadonlySet<string> | undefined;
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

  /**
   * By process, its descendants, without those that another thread than the main one has started. Empty where the system
   * does not show them.
   */
  descendants(pids: readonly number[]): ReadonlyMap<number, readonly number[]>;

  /** Relevant file systems, read every 15 seconds at most. */
  disks(): Promise<readonly DiskReading[]>;

  close(): void;
}

export interface HasMachine {
  readonly machine: Machine;
}
