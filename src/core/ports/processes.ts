import type { Fields } from "../pm2/normalise.ts";
import type { OwnProcess, ProcessIdentity, ProcessRecord } from "../pm2/process-record.ts";

/**
 * The processes of one PM2, over one connection, which is opened by the first call and again after a loss. An idle
 * connection does not keep this process alive. A refused action never happens later; if an outcome is unknown, the
 * message says so.
 *
 * Reading never starts a daemon. Every method throws {SvcmError} PM2_FAILED, with a code of the system or one of these:
 *
 * - `PM2_NOT_RUNNING`, `PM2_TIMEOUT`, `PM2_CONNECTION_LOST`, `PM2_HOME_UNUSABLE`, `PM2_LOAD_FAILED`
 * - `PM2_ACTION_FAILED`: PM2 refused, in its words
 * - `PROCESS_CHANGED`: another process has the number now
 * - `ELOCKED`: another svcm acts on the process
 */
export interface Processes {
  /** By number, without modules. One call to PM2. */
  list(signal?: AbortSignal): Promise<ProcessRecord[]>;

  /**
   * Removes credentials, and the secrets in the environments of the processes of the last `list`. Before the first
   * list, or after a loss of the connection, every text is `[REDACTED]`.
   */
  scrub(texts: readonly string[]): Promise<readonly string[]>;

  /** For completion: cheaper than `list`, and empty if PM2 does not answer at once. */
  names(): Promise<ProcessName[]>;

  /** Begins or ends to hear which processes call themselves ready. Without a PM2 that can be heard, it hears nothing. */
  hearReady(isOn: boolean): Promise<void>;

  /**
   * The last time that each process called itself ready, by PM2's number, in milliseconds since the epoch; undefined if
   * PM2 has not been heard all the time.
   */
  ready(): Promise<ReadonlyMap<number, number> | undefined>;

  /** Processes that PM2 runs and no longer lists. Only Linux knows them; empty elsewhere. */
  unlisted(): Promise<readonly number[]>;

  /**
   * Runs `work` while no other svcm acts on the process, or starts an unknown app. Otherwise an action on a process
   * that is being restarted would fail.
   * @throws {SvcmError} PM2_FAILED with the code `ELOCKED`; errors of `work` pass through
   */
  exclusively<T>(what: ProcessIdentity | "start", work: () => Promise<T>): Promise<T>;

  /** Starts a stopped process that PM2 knows. Resolves with PM2's answer. */
  start(target: ProcessIdentity): Promise<void>;

  /** PM2 still lists the process afterwards. Resolves with PM2's answer. */
  stop(target: ProcessIdentity): Promise<void>;

  /**
   * Ends a process and starts it again, as it is, as it is declared, or as it was. Resolves when PM2 has answered.
   *
   * @throws {SvcmError} PM2_FAILED, also with the code `APP_NEVER_SETTLES`: PM2 is launching it
   */
  restart(target: ProcessIdentity, run?: NextRun): Promise<void>;

  /** The same, except that a process of a cluster ends when its successor listens or is ready. */
  reload(target: ProcessIdentity, run?: NextRun): Promise<void>;

  /** Stops a process and takes it out of PM2's list. Resolves when PM2 has answered. */
  remove(target: ProcessIdentity): Promise<void>;

  /** Halts a process that PM2 launches (SIGSTOP), or lets it go on. A process that has ended is left alone. */
  halt(target: Pick<ProcessRecord, "pid">, isOn: boolean): Promise<void>;

  /** Starts one more instance of a process. Resolves when PM2 has answered. */
  duplicate(target: ProcessIdentity): Promise<void>;

  /**
   * Starts an app that PM2 does not know. It gets its declared environment and a small base environment, never that of
   * this process. Call it inside `exclusively("start", ...)`, because it may start a daemon. Resolves with PM2's
   * answer.
   * @param apps entries of an ecosystem file
   * @param folder where PM2 would be called with that file: relative paths begin there, and a new daemon runs there
   * @throws {SvcmError} PM2_FAILED, also with the code `APP_ALREADY_KNOWN`
   */
  startApp(name: string, apps: readonly Fields[], folder: string): Promise<void>;

  /**
   * The same list and digests, with the key of this PM2 instead of one of this process: every svcm computes the same. If
   * PM2_HOME has no key, svcm makes one, readable for its owner alone.
   */
  keyed(): Promise<Pick<Processes, "list" | "digest">>;

  /** Writes PM2's records of processes, values included, to a new file for its owner alone. */
  keep(path: string, pmIds: readonly number[]): Promise<void>;

  /** Starts a process of such a file that PM2 no longer lists; it gets another number. */
  revive(former: FormerRun, pmId: number): Promise<void>;

  /** Saves PM2's list for the next boot, readable for its owner alone. */
  save(): Promise<void>;

  /** Comparable with the digests of a `ProcessRecord`. */
  digest(value: string): string;

  /** This process and its ancestors. */
  own(): OwnProcess;

  /** A later call opens a new connection. */
  close(): Promise<void>;
}

/** Replaces the declaration of a process. PM2's number, its instances and its mode stay. */
export interface DeclaredRun {
  /** The entry of the ecosystem file. */
  readonly app: Fields;
  /** The folder in which PM2 would be called with that file. */
  readonly folder: string;
  /** Variables that the process has and that go. The others, such as those of a shell, stay. */
  readonly drop: readonly string[];
}

/** Gives a process the definition of its record in a file of `keep`. */
export interface FormerRun {
  readonly keptIn: string;
  /** Env files that the process reads from copies, by the path of the file. */
  readonly pins?: ReadonlyMap<string, string>;
}

export type NextRun = DeclaredRun | FormerRun;

export interface ProcessName {
  readonly name: string;
  readonly pmId: number;
  readonly status: string;
  readonly namespace: string;
}
