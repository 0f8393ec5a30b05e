/** What the control of processes needs of the world. */
import type { Fields } from "./normalise.ts";
import type { ProcessIdentity, ProcessRecord } from "./process-record.ts";
import type { OwnProcess } from "./own.ts";

/**
 * The processes of one PM2, over one kept connection that heals by itself: a call after a loss
 * connects anew. Nothing is loaded, connected or asked before the first call, and an idle connection
 * keeps no process alive. What is refused never happens later; where an action was handed over and
 * its outcome is unknown, the message says so.
 *
 * Every method throws {SvcmError} PM2_FAILED with a code: `PM2_NOT_RUNNING`, `PM2_TIMEOUT`,
 * `PM2_CONNECTION_LOST`, `PM2_HOME_UNUSABLE`, `PM2_LOAD_FAILED`, `PM2_ACTION_FAILED` (PM2 refused, in
 * its words), `PROCESS_CHANGED` (another process has that number now), `ELOCKED` (another svcm is at
 * it), or the system's own, for example `EACCES`. Reading never starts a daemon.
 */
export interface Processes {
  /** Every process that PM2 knows, modules of PM2 apart, by number. One call to PM2. */
  list(signal?: AbortSignal): Promise<ProcessRecord[]>;

  /**
   * The texts, in their order, without the secrets that the environments of the processes of the last `list` hold, and
   * without credentials. Before the first list, or after a loss of the link, every text is `[REDACTED]`.
   */
  scrub(texts: readonly string[]): Promise<readonly string[]>;

  /** What completion offers: cheaper than `list`, and empty instead of an error if PM2 does not answer at once. */
  names(): Promise<ProcessName[]>;

  /**
   * Runs `work` while no other svcm acts on that process, or starts an app that PM2 does not know.
   * Actions of others on a process that is being ended and started anew would fail.
   *
   * @throws {SvcmError} PM2_FAILED with the code `ELOCKED`; what `work` throws passes through.
   */
  exclusively<T>(what: ProcessIdentity | "start", work: () => Promise<T>): Promise<T>;

  /** Starts one that PM2 knows and that does not run. Resolves when PM2 has answered. */
  start(process: ProcessIdentity): Promise<void>;

  /** Stops one; PM2 keeps knowing it. Resolves when PM2 has answered. */
  stop(process: ProcessIdentity): Promise<void>;

  /**
   * Ends one and starts it with the environment that it had, and with these variables on top. Resolves when PM2 has
   * answered.
   */
  restart(process: ProcessIdentity, env?: Readonly<Record<string, string>>): Promise<void>;

  /**
   * Starts an app that PM2 does not know, by its entries in an ecosystem file, with its declared environment over a
   * small base one, never with that of this process. If no daemon runs, one is started: only inside
   * `exclusively("start", ...)`, since several would start several. Resolves when PM2 has answered.
   *
   * @param apps with an absolute `cwd` each
   * @throws {SvcmError} PM2_FAILED, also with the code `APP_ALREADY_KNOWN`
   */
  startApp(name: string, apps: readonly Fields[]): Promise<void>;

  /** The keyed digest of a value of a declaration, comparable with those of a `ProcessRecord`. */
  digest(value: string): string;

  /** The processes that this one is part of: itself and those that started it. */
  own(): OwnProcess;

  /** Closes the connection; a later call opens a new one. */
  close(): Promise<void>;
}

/** A process as somebody who types its name knows it. */
export interface ProcessName {
  readonly name: string;
  readonly pmId: number;
  readonly status: string;
  readonly namespace: string;
}
