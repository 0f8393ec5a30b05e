import type { ErrorCode, Issue } from "../api/issue.ts";
import type { HostSystem } from "../api/metrics.ts";
import type {
  DiskReading,
  HostReading,
  Listener,
  ProcessActivity,
  ProcessReading,
  TcpSocket,
  SystemLimits,
} from "./reading.ts";

/** Small regular configuration files inside the permitted folders. */
export interface Files {
  /**
   * Reads a whole regular file; follows symbolic links. Concurrent calls share the next read.
   * @throws {FileError} ENOENT, EACCES, EISDIR, EFBIG (over the size limit), EOUTSIDE (a link that leaves the permitted
   * folders), ENOTREG (a FIFO, socket or device), or another system code
   */
  read(path: string, options?: ReadOptions): Promise<Uint8Array>;

  /**
   * Replaces the content in one transaction: lock, read, decide, write beside, sync, rename, sync the directory.
   *
   * `decide` gets the current content, and how many other names (hard links) the file has; they keep that content. It returns the next one, or `undefined` for no change. If another program
   * changes the file before the rename, `decide` runs again, so it must not have effects. `beforeWrite` runs once
   * before the first byte is written; if it throws, nothing is written.
   *
   * Resolves with the content that is then in place. Keeps mode, owner and symbolic links; a failure leaves the old
   * content whole. One failure is an exception, and its message says so: if the directory cannot be synced, the new
   * content is in place but may not survive a power cut.
   *
   * @throws {FileError} with the given path: the codes of `read`, and system codes. EACCES also applies to root, if the
   * file's mode lacks its owner's write permission. ELOCKED: another process holds the lock. ECHANGED: another program
   * keeps changing the file. EBUSY, EXDEV: the file is a mount point. Errors of `decide` and `beforeWrite` pass
   * through.
   */
  replace(
    path: string,
    decide: (current: Uint8Array, names?: { readonly others: number }) => Uint8Array | undefined,
    beforeWrite?: () => Promise<void>,
    options?: WriteOptions,
  ): Promise<Uint8Array>;

  /**
   * Creates and syncs a file in an existing folder, as a whole. `beforeWrite` runs once before the first byte is
   * written; if it throws, nothing is written.
   * @throws {FileError} EEXIST if the name exists, ENOENT without the folder, and the other codes of `replace`
   */
  create(path: string, content: Uint8Array, beforeWrite?: () => Promise<void>, options?: WriteOptions): Promise<void>;
}

export type WriteOptions = Pick<ReadOptions, "mayBeOutside">;

export interface ReadOptions {
  readonly maxBytes?: number;
  /** Permits a path outside the folders, because the user named it. A path inside must still lead to a place inside. */
  readonly mayBeOutside?: boolean;
}

export interface FileStamps {
  /** Null for a file that does not exist or cannot be accessed. A folder changes with its list of names. */
  read(paths: readonly string[]): readonly (FileStamp | null)[];

  /** Of everything in the folder; empty if it cannot be read. */
  names(folder: string): readonly string[];

  /** Paths that certainly do not exist. A path without access permission is not included. */
  missing(paths: Iterable<string>): ReadonlySet<string>;
}

export interface FileStamp {
  /** Changes with every change of the file. */
  readonly id: string;
  readonly modifiedMs: number;
  /** Of content, times, mode or owner, or of a link with that name: nothing can set it back. Behind the clock by a few milliseconds. */
  readonly changedMs: number;
}

/** A file operation that the system refused. `code` is the code of the system, for example `ENOSPC`. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: ErrorCode;
  readonly path: string;

  constructor(code: ErrorCode, path: string, message: string) {
    super(message);
    this.code = code;
    this.path = path;
  }
}

/** The free part of a file system. */
export interface Room {
  readonly bytes: number;
  /** `undefined` if the file system has no limit of files. */
  readonly files: number | undefined;
  /** Of the whole file system. */
  readonly totalBytes: number;
}

export interface HasFiles {
  readonly files: Files;
}

export interface HasStamps {
  readonly stamps: FileStamps;
}

export type GitSilence = Pick<Issue, "code" | "message">;

/** The files of the repository at a revision, read only. */
export interface Revisions {
  /**
   * Reads a file byte for byte: no filter, conversion or program of the repository runs, and nothing is fetched.
   * @param revision names one commit, for example `HEAD~1`, `main` or an object id
   * @param path absolute, inside the repository root
   * @throws {SvcmError} NOT_FOUND if the revision does not exist; REVISION_FAILED without Git or a repository, or for a
   * file that is too large or not regular
   */
  read(revision: string, path: string): Promise<RevisionFile>;

  /**
   * The current commit, and which of these absolute paths differ from it. Untracked files never differ.
   * @param paths is called while Git looks up the commit
   */
  readState(paths: () => Promise<readonly string[]>): Promise<RevisionState | undefined>;

  /** Why Git does not answer about a repository that is there. */
  refusal(): Promise<GitSilence | undefined>;

  /**
   * Runs `work` with a temporary folder that contains a revision's code and settings: JavaScript, JSON, YAML and env
   * files, byte for byte, next to the `node_modules` of the work tree. The folder is removed before the promise
   * settles.
   *
   * @throws {SvcmError} as `read`; errors of `work` pass through.
   */
  withFiles<T>(revision: string, work: (folder: string, commit: string) => Promise<T>): Promise<T>;

  /** Branches, remote branches and tags, newest first. Empty without Git or a repository. */
  listNames(): Promise<string[]>;

  /**
   * Returns what earlier versions of these absolute paths contained: as they were at those times, at the current commit, and
   * before their last commit. Empty without Git or a repository.
   * @param timesMs in milliseconds since 1970
   */
  formerTexts(paths: readonly string[], timesMs: readonly number[]): Promise<readonly string[]>;

  /** The paths, relative to the root, that Git tracks. Empty without Git or a repository. */
  listTracked(paths: readonly string[]): Promise<string[]>;

  /** Those that Git neither tracks nor ignores, so that `git add .` would add them. Empty without Git or a repository. */
  listUnignored(paths: readonly string[]): Promise<string[]>;
}

export interface RevisionState {
  readonly commit: string;
  readonly dirty: readonly string[];
}

export interface RevisionFile {
  readonly commit: string;
  /** `undefined` if the revision does not have the file. */
  readonly bytes: Uint8Array | undefined;
}

export interface HasRevisions {
  readonly revisions: Revisions;
}

export interface Machine {
  readonly platform: string;

  ownUsage(): OwnUsage;

  /** `undefined` if the system does not provide it. Processes of other users may be missing. */
  listeners(): Promise<readonly Listener[] | undefined>;

  /** Those of a process, or only those of the machine; `undefined` on other systems than Linux. */
  systemLimits(pid: number | null): SystemLimits | undefined;

  /** Facts of the kernel about other processes; `undefined` on other systems than Linux. */
  openTrees(): Promise<ProcessTrees | undefined>;

  /** The reader keeps files open until it is closed. @param diskPaths of further file systems */
  openReader(diskPaths?: readonly string[]): Promise<MachineReader>;
}

/** Reads `/proc` at each call. Anything that this user may not see is missing. */
export interface ProcessTrees {
  /** By process: its children, their children, and so on. */
  descendants(pids: readonly number[]): ReadonlyMap<number, readonly number[]>;

  activity(pids: readonly number[]): ReadonlyMap<number, ProcessActivity>;

  /** Until now, those that read or write. An event loop that turns makes more of them. */
  countCalls(pid: number): number | undefined;

  tcpSockets(): readonly TcpSocket[];

  /** False for a process that runs, but of which this user may not see what it has open, or not the network. */
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

  /** Like `digest`, with a key of the repository. A reader of the result cannot try out what the bytes may be. */
  keyedDigest(): Promise<Host["digest"]>;

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
