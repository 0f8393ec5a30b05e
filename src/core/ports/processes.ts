import type { Fields } from "../pm2/normalise.ts";
import type { ProcessIdentity, ProcessRecord } from "../pm2/process-record.ts";
import type { OwnProcess } from "../pm2/own.ts";

/**
 * The processes of one PM2, over one connection: a call after a loss connects again. Nothing is loaded or connected
 * before the first call, and an idle connection does not keep this process alive. An action that was refused never
 * happens later; if its outcome is unknown, the message says so.
 *
 * Reading never starts a daemon. Every method throws {SvcmError} PM2_FAILED with a code of PM2's, or the system's own:
 * `PM2_NOT_RUNNING`, `PM2_TIMEOUT`, `PM2_CONNECTION_LOST`, `PM2_HOME_UNUSABLE`, `PM2_LOAD_FAILED`. `PM2_ACTION_FAILED`:
 * PM2 refused, in its words. `PROCESS_CHANGED`: another process has that number now. `ELOCKED`: another svcm acts on it.
 */
export interface Processes {
  /** Every process that PM2 knows except its modules, by number. One call to PM2. */
  list(signal?: AbortSignal): Promise<ProcessRecord[]>;

  /**
   * Returns the texts without credentials and without the secrets in the environments of the processes of the last `list`. Before the first list, or after a loss of the link, every text is `[REDACTED]`.
   */
  scrub(texts: readonly string[]): Promise<readonly string[]>;

  /** For completion: cheaper than `list`, and empty instead of an error if PM2 does not answer at once. */
  names(): Promise<ProcessName[]>;

  /**
   * Runs `work` while no other svcm acts on that process, or starts an app that PM2 does not know.
   * Without it, an action on a process that is being restarted would fail.
   *
   * @throws {SvcmError} PM2_FAILED with the code `ELOCKED`; what `work` throws passes through.
   */
  exclusively<T>(what: ProcessIdentity | "start", work: () => Promise<T>): Promise<T>;

  /** Starts a stopped process that PM2 knows. Resolves when PM2 has answered. */
  start(target: ProcessIdentity): Promise<void>;

  /** Stops a process; PM2 still lists it. Resolves when PM2 has answered. */
  stop(target: ProcessIdentity): Promise<void>;

  /**
   * Restarts a process with its present environment and these variables on top. Resolves when PM2 has answered.
   */
  restart(target: ProcessIdentity, env?: Readonly<Record<string, string>>): Promise<void>;

  /**
   * Starts an app that PM2 does not know, by its entries in an ecosystem file, with its declared environment over a
   * small base environment, never with that of this process. Call it inside `exclusively("start", ...)`, because it
   * starts a daemon if none runs. Resolves when PM2 has answered.
   *
   * @param apps with an absolute `cwd` each
   * @throws {SvcmError} PM2_FAILED, also with the code `APP_ALREADY_KNOWN`
   */
  startApp(name: string, apps: readonly Fields[]): Promise<void>;

  /** The keyed digest of a declared value, comparable with those of a `ProcessRecord`. */
  digest(value: string): string;

  /** This process and those that started it. */
  own(): OwnProcess;

  /** Closes the connection; a later call opens a new one. */
  close(): Promise<void>;
}

/** A process as completion offers it. */
export interface ProcessName {
  readonly name: string;
  readonly pmId: number;
  readonly status: string;
  readonly namespace: string;
}
