import type { HostSystem } from "../api/host-system.ts";
import type {
  DiskReading,
  HostReading,
  Listener,
  ProcessActivity,
  ProcessReading,
  TcpSocket,
} from "../metrics/reading.ts";

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

/** Facts about this program and the programs around it. It contains no setting that may be a secret. */
export interface Installation {
  readonly node: string;
  /** For example `linux x64`. */
  readonly platform: string;
  readonly user: string;
  /** The version of PM2 with which svcm would start a daemon; null if it is not installed. */
  readonly pm2Version: string | null;
  readonly hasToken: boolean;

  /** The daemon in PM2_HOME; null if none is listening. */
  daemon(): Promise<Pm2Daemon | null>;

  /** Finds out if a program responds at the address that `svcm serve` would use. */
  service(): Promise<ServiceAddress>;

  /** True if a program with this name is in the PATH. */
  hasProgram(name: string): boolean;
}

export interface Pm2Daemon {
  /** Null if the daemon does not respond to this user. */
  readonly version: string | null;
  readonly pid: number | null;
  /** The name of the user who owns its socket. */
  readonly owner: string;
}

export interface ServiceAddress {
  /** `host:port`; null if the variables do not give a valid address. */
  readonly address: string | null;
  /** `svcm`: a `svcm serve` process. `other`: another program. */
  readonly answer: "nothing" | "svcm" | "other";
}
