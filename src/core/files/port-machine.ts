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

export interface Host {
  /** SHA-256, base64url. */
  digest(bytes: Uint8Array): string;

  randomId(): string;

  /** The `machine-id`, or the host name. It identifies the machine, so only a digest of it may leave the process. */
  machineId(): Promise<string>;

  cpuCores(): number;

  /** The host name. */
  name(): string;
}

export interface Clock {
  /** Milliseconds since 1970, for users and files. Jumps when the clock is set. */
  now(): number;

  /** Milliseconds on a monotonic clock, for deadlines and intervals. */
  elapsed(): number;

  /** @throws the signal's reason if it is aborted */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface HasClock {
  readonly clock: Clock;
}

export interface HasHost {
  readonly host: Host;
}

/** A pid alone may be reused. */
export interface UniqueProcess {
  readonly pid: number;
  /** Start time in clock ticks since boot; null if the system does not report it. */
  readonly startTime: string | null;
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
  readonly host: string;
}
