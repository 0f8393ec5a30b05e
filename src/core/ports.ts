/**
 * What the core needs of the world. Decisions never see these; operations read and write through
 * them; `adapters/` implements them on the real machine.
 */
import type { AuditRecord } from "./api/audit-record.ts";
import type { LoadedEcosystem } from "./pm2/loaded.ts";
import type { CapabilityMatrix, RuntimeContract } from "./facts/schema.ts";
import type { Processes } from "./pm2/ports.ts";
import type { AsyncContext, FileStamps, Machine } from "./metrics/ports.ts";
import type { Project } from "./project/project.ts";
import type { Telemetry } from "./metrics/telemetry.ts";

export interface Ports {
  readonly workspace: Workspace;
  readonly facts: Facts;
  readonly files: Files;
  readonly revisions: Revisions;
  readonly ecosystems: EcosystemLoader;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly host: Host;
  readonly processes: Processes;
  readonly machine: Machine;
  readonly asyncContext: AsyncContext;
  readonly stamps: FileStamps;
  /** One for each server: whoever watches through the same ports shares one sampler. */
  readonly telemetry: Telemetry;
}

/** Where things are. Every path is absolute. @see CONTRACT section 2b */
export interface Workspace {
  readonly root: string;
  /** Whether the root was named or found by its marks. If not, it is the current folder, which may be anything. */
  readonly isKnown: boolean;
  /** Folder of the env files. */
  readonly configDir: string;
  /** Folder of the PM2 ecosystem files. */
  readonly pm2Dir: string;
  /** The log of what concerns the repository's files. */
  readonly auditFile: string;
  /** The folder of the PM2 that is meant; it may not exist. */
  readonly pm2Home: string;
  /** `NODE_ENV` as it was set: the environment of a request that names none. */
  readonly nodeEnv: string | undefined;
}

/** The two declarative sources: the repository's own where it has one, else the packaged one. */
export interface Facts {
  /** What `svcm.yaml` says; `undefined` without the file. @throws {SvcmError} FACT_INVALID with every issue and its place. */
  project(): Promise<Project | undefined>;
  /** @throws {SvcmError} FACT_INVALID with every issue and its place. */
  runtimeContract(): Promise<RuntimeContract>;
  /** @throws {SvcmError} FACT_INVALID with every issue and its place. */
  capabilityMatrix(): Promise<CapabilityMatrix>;
}

/** Time as the core sees it. */
export interface Clock {
  /** Milliseconds since the epoch, for people and files. It jumps when the machine's clock is set. */
  now(): number;

  /** Milliseconds on a clock that never jumps, for deadlines and intervals. Comparable only with itself. */
  elapsed(): number;

  /** Resolves after so many milliseconds. @throws the reason of the signal, where it is aborted. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Facts about the machine that decisions need. */
export interface Host {
  /** SHA-256 of the bytes, base64url. */
  digest(bytes: Uint8Array): string;

  /** A random identifier, a UUID. */
  randomId(): string;

  /** The machine's own identifier (`machine-id`), else its host name. It identifies the machine: only a digest may leave. */
  machineId(): Promise<string>;

  /** Number of CPU cores, at least 1: the default of a worker count. */
  cpuCores(): number;
}

/** Configuration files: small, regular, inside the folders that svcm was given. */
export interface Files {
  /**
   * Reads a regular file whole, following symbolic links. Callers that come while the file is being read share
   * the next read.
   *
   * @throws {FileError} ENOENT, EACCES, EISDIR, EFBIG (over the size cap), EOUTSIDE (a link that
   *   leaves the allowed folders), ENOTREG (a FIFO, socket or device), or any other system code.
   */
  read(path: string, options?: ReadOptions): Promise<Uint8Array>;

  /**
   * Replaces a file's content as one transaction: lock, read, decide, write beside, sync, rename,
   * sync the directory. `decide` gets the content of this moment and returns the next one, or
   * `undefined` for no change (then nothing is written). It may run again when a foreign writer
   * changed the file between read and rename, so it must not have effects of its own.
   * `beforeWrite` runs once, after `decide` and before the first byte is written; if it throws,
   * nothing is written.
   *
   * Resolves with the content that is in place afterwards. Mode and owner are kept, a symbolic
   * link is followed, and on any failure the old content is whole. The one exception says so in its
   * message: the directory could not be synced, so the new content is in place but may not last.
   *
   * @throws {FileError} the codes of `read`, EACCES (also for root, if the file's mode lacks its owner's write
   *   permission), ELOCKED (another process holds the file's lock),
   *   ECHANGED (another program keeps changing the file), EBUSY or EXDEV (the file is a mount point),
   *   or any other system code, with the given path; what `decide` and `beforeWrite` throw passes
   *   through.
   */
  replace(
    path: string,
    decide: (current: Uint8Array) => Uint8Array | undefined,
    beforeWrite?: () => Promise<void>,
  ): Promise<Uint8Array>;

  /**
   * Makes a file that is not there, whole and synced, in a folder that is. `beforeWrite` runs once,
   * before the first byte is written; if it throws, nothing is written.
   *
   * @throws {FileError} EEXIST where something of that name stands, ENOENT without the folder, and
   *   the other codes of `replace`.
   */
  create(path: string, content: Uint8Array, beforeWrite?: () => Promise<void>): Promise<void>;
}

export interface ReadOptions {
  /** Cap of the size; by default that of the port. */
  readonly maxBytes?: number;
  /**
   * Whether a path that is itself outside of the allowed folders is read, because a person named it. A path
   * inside of them still has to lead to a place inside.
   */
  readonly mayBeOutside?: boolean;
}

/** What the repository's files were at a revision of its version control. Read only. */
export interface Revisions {
  /**
   * A file as it stands at a revision, byte for byte: no filter, conversion or program of the
   * repository is run, and nothing is fetched.
   *
   * @param revision whatever names one commit, for example `HEAD~1`, `main` or an object id
   * @param path of the file, absolute and inside the repository root
   * @throws {SvcmError} NOT_FOUND for a revision that is none, REVISION_FAILED for everything else
   *   that stands in the way: no Git, no repository, a file that is too large or no regular one.
   */
  read(revision: string, path: string): Promise<RevisionFile>;

  /** Names of branches, remote branches and tags, the newest first; empty if there is no Git or no repository. */
  names(): Promise<string[]>;
}

export interface RevisionFile {
  /** The object id of the commit that the revision names. */
  readonly commit: string;
  /** `undefined` where the file does not exist at the revision. */
  readonly bytes: Uint8Array | undefined;
}

/** PM2 ecosystem files. They are code: each is run in a process of its own, which can do no harm to ours. */
export interface LoadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Current folder of the file's process; without one, the root. PM2 takes relative paths from where it is called. */
  readonly cwd?: string;
}

export interface EcosystemLoader {
  /**
   * The names of what stands in a folder; none where there is no such folder.
   *
   * @throws {FileError} any other system code.
   */
  list(folder: string): Promise<readonly string[]>;

  /**
   * Runs a file afresh, nested modules included, and tells what it declares. At most one run and one that waits
   * for it are there for a path; callers in between share the latter. The repository root is the current folder.
   *
   * @param path absolute
   * @throws {FileError} ECOSYSTEM_FILE_SYNTAX, ECOSYSTEM_FILE_THREW, ECOSYSTEM_FILE_TIMEOUT and its kin, or a system
   *   code. The message never quotes the file. The signal's reason where the caller gave up.
   */
  load(path: string, options?: LoadOptions): Promise<LoadedEcosystem>;

  /** Values of the environment that files do not get to see, to be kept out of every answer too. */
  withheld(): readonly string[];
}

/** The append-only log of mutations. */
export interface AuditLog {
  /**
   * Appends one record and syncs it to disk before resolving.
   *
   * @throws {FileError} where the record cannot be made durable.
   */
  append(record: AuditRecord): Promise<void>;

  /**
   * The newest attempts first, one record each: its outcome, or `started` if it was cut off. Torn or foreign lines are
   * skipped; a log that does not exist is an empty one.
   *
   * @throws {FileError} if the log cannot be read; the signal's reason if the caller left.
   */
  newest(query: AuditQuery, signal?: AbortSignal): Promise<AuditPage>;

  /**
   * Whether a change could be recorded now. Nothing is created.
   *
   * @throws {FileError} with the reason that `append` would have, as far as permissions show it.
   */
  check(): Promise<void>;

  /** How many records this process appended, by what they tell. */
  counts(): readonly AuditCount[];
}

export interface AuditQuery {
  readonly limit: number;
  /** Milliseconds since the epoch; older records are left out. */
  readonly since?: number | undefined;
  readonly outcome?: AuditRecord["outcome"] | undefined;
  /** A part of a name: of the action, environment, key, process, target or actor, whatever its case. */
  readonly text?: string | undefined;
}

export interface AuditPage {
  readonly records: readonly AuditRecord[];
  /** False if a part of the log was left unread because it holds too much that is no record. */
  readonly isComplete: boolean;
}

export interface AuditCount extends Pick<AuditRecord, "action" | "outcome"> {
  readonly count: number;
}

/** A file operation that the system refused. `code` is the system's own, for example `ENOSPC`. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: string;
  readonly path: string;

  constructor(code: string, path: string, message: string) {
    super(message);
    this.code = code;
    this.path = path;
  }
}
