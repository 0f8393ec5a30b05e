import type { Survivor } from "./daemon-traces.ts";
import type { Fields } from "./normalise.ts";
import type { DaemonProcess, RenewedUnit } from "./port-daemons.ts";
import { withMembers } from "../words/record.ts";
import type { OwnProcess, ProcessIdentity, ProcessRecord } from "./process-record.ts";

/**
 * The processes of one PM2, over one connection. The first call opens it, and a call after a loss opens it again. An
 * idle connection does not keep this process alive. A refused action never happens later; if an outcome is unknown, the
 * message says so.
 *
 * Reading never starts a daemon. Every method throws {SvcmError} PM2_FAILED, with a system code or one of these:
 *
 * - `PM2_NOT_RUNNING`, `PM2_TIMEOUT`, `PM2_CONNECTION_LOST`, `PM2_HOME_UNUSABLE`, `PM2_LOAD_FAILED`
 * - `PM2_ACTION_FAILED`: PM2 refused, in its words
 * - `PROCESS_CHANGED`: the id now belongs to another process
 * - `ELOCKED`: another svcm process acts on the process
 */
export interface Processes {
  /** Lists the processes by id, without modules, in one call to PM2. */
  list(signal?: AbortSignal): Promise<ProcessRecord[]>;

  /**
   * Removes credentials, and the secrets in the environments of the last `list`. Before the first list, or after a loss
   * of the connection, every text becomes `[REDACTED]`.
   */
  scrub(texts: readonly string[]): Promise<readonly string[]>;

  /** For completion: cheaper than `list`, and empty if PM2 does not respond at once. */
  names(): Promise<ProcessName[]>;

  /** Starts or stops listening for processes that report ready. Does nothing if PM2's bus is not available. */
  listenForReady(isListening: boolean): Promise<void>;

  /**
   * When each process last reported ready, by PM2 id, in milliseconds since 1970; undefined if svcm has not listened
   * without interruption.
   */
  readyTimes(): Promise<ReadonlyMap<number, number> | undefined>;

  /**
   * Returns the lines that a process has written to standard error since `listenForReady`, wherever its log goes; undefined if svcm has not
   * listened without interruption.
   */
  writtenErrors(target: Pick<ProcessRecord, "pmId">): Promise<WrittenErrors | undefined>;

  /**
   * Before a start: without a daemon, one that started now might end at once.
   * @throws {SvcmError} PM2_FAILED with DAEMON_ENDS_WITH_UNIT or PM2_HOME_OF_USER
   */
  requireLasting(): Promise<void>;

  /** Pids of processes that PM2 runs but no longer lists. Linux only; empty elsewhere. */
  unlistedPids(): Promise<readonly number[]>;

  /** Pids of further daemons of this PM2_HOME, whose apps the list lacks. Only where a daemon answers. */
  lostDaemons(): readonly number[];

  /** Processes of apps that outlived a former daemon, also beside the present one. Linux only; empty elsewhere. */
  survivors(): Promise<readonly Survivor[]>;

  /** Processes of another PM2 on this machine that run one of the scripts. Empty if the system does not show them. */
  runsElsewhere(scripts: readonly string[]): readonly ForeignRun[];

  /**
   * Runs `work` while no other svcm process acts on the process, or starts an unknown app. Otherwise an action could
   * fail because the process is being restarted.
   * @throws {SvcmError} PM2_FAILED with the code `ELOCKED`; errors of `work` pass through
   */
  withLock<T>(scope: ProcessIdentity | "start", work: () => Promise<T>): Promise<T>;

  /**
   * Starts a stopped process that PM2 lists. Resolves when PM2 has responded, with the process as PM2 listed it directly
   * before: PM2 may have restarted it since an earlier `list`.
   */
  start(target: ProcessIdentity): Promise<ProcessRecord>;

  /** Stops a process, which PM2 still lists afterwards. Resolves when PM2 has responded. */
  stop(target: ProcessIdentity): Promise<void>;

  /**
   * Ends a process and starts it again, unchanged, as declared, or with a previous definition. Resolves as `start` does.
   *
   * @throws {SvcmError} PM2_FAILED, also with the code `APP_NEVER_SETTLES`: PM2 is still launching it
   */
  restart(target: ProcessIdentity, run?: NextRun): Promise<ProcessRecord>;

  /** Like `restart`, but a cluster process ends only when its successor listens or reports ready. */
  reload(target: ProcessIdentity, run?: NextRun): Promise<ProcessRecord>;

  /** Stops a process and removes it from PM2's list. Resolves when PM2 has responded. */
  remove(target: ProcessIdentity): Promise<void>;

  /** Suspends a process that PM2 is launching (SIGSTOP), or resumes it. Ignores a process that has ended. */
  suspend(target: Pick<ProcessRecord, "pid">, isSuspended: boolean): Promise<void>;

  /** Starts one more instance of a process. Resolves when PM2 has responded. */
  duplicate(target: ProcessIdentity): Promise<void>;

  /**
   * Starts an app that PM2 does not list. It gets its declared environment and a small base environment, never the
   * environment of this process. Call it inside `withLock("start", ...)`, because it may start a daemon. Resolves
   * when PM2 has responded.
   * @param apps entries of an ecosystem file
   * @param folder where PM2 would be run with that file; relative paths are resolved against it, and a new daemon runs
   * there
   * @throws {SvcmError} PM2_FAILED, also with the code `APP_ALREADY_KNOWN`
   */
  startApp(name: string, apps: readonly Fields[], folder: string, how?: StartedHow): Promise<void>;

  /** Like `startApp`, but PM2 only takes the definition and its schedule: nothing runs. */
  registerApp(name: string, apps: readonly Fields[], folder: string, how?: StartedHow): Promise<void>;

  /**
   * The same list and digests, but with the key of this PM2 instead of a key of this process, so every svcm process
   * computes the same. If PM2_HOME has no key, svcm creates one that only its owner can read.
   */
  withHomeKey(): Promise<Pick<Processes, "list" | "digest">>;

  /** Writes PM2's records of processes, including values, to a new file that only its owner can read. */
  saveRecords(path: string, pmIds: readonly number[]): Promise<void>;

  /**
   * Brings back a process of such a file that PM2 no longer lists; it gets a new id. A process that did not run, and a
   * job, are not started.
   */
  restore(saved: SavedRun, pmId: number): Promise<void>;

  /** Saves PM2's list for the next boot; only its owner can read it. */
  saveList(): Promise<void>;

  /**
   * Brings back the saved list, in its order, and starts a daemon if none runs. An app that was stopped, a job and a task
   * are only registered. A process whose app PM2 already lists is left alone, and one that fails does not end the others.
   * Resolves when PM2 has responded for each.
   *
   * @throws {SvcmError} PM2_FAILED, also with the code `BOOT_LIST_UNUSABLE`: there is no list that can be read
   */
  restoreList(): Promise<readonly RestoredProcess[]>;

  /** Stops all processes at the same time, each with its own `kill_timeout`, and then the daemon. Keeps the saved list. */
  drain(): Promise<void>;

  readonly renewal: DaemonRenewal;

  /** Computes a digest that is comparable with those of a `ProcessRecord`. */
  digest(value: string): string;

  /** Milliseconds for which a process has waited for a processor since its start. */
  readonly queuedMs: (pid: number) => number;

  /** Identifies this process and its ancestors. */
  ownProcess(): OwnProcess;

  /** A later call opens a new connection. */
  close(): Promise<void>;
}

export interface StartedHow {
  /** A daemon ran: a new one would not have its apps. */
  readonly needsDaemon: boolean;
}

/** The same, but a start needs the daemon that runs. */
export function keepingDaemon(processes: Processes): Processes {
  const how = { needsDaemon: true };
  return withMembers(processes, {
    startApp: (name: string, apps: readonly Fields[], folder: string) => processes.startApp(name, apps, folder, how),
    registerApp: (name: string, apps: readonly Fields[], folder: string) =>
      processes.registerApp(name, apps, folder, how),
  });
}

export type FormerDaemon = Pick<DaemonProcess, "pid" | "nodePath">;

/**
 * A new daemon of the installed PM2 takes the list, app by app, from the former one, which runs beside it. Each step may be
 * repeated after SIGKILL. The processes keep everything but their numbers, counters and times.
 */
export interface DaemonRenewal {
  /**
   * Saves the list and starts the new daemon, or goes on with a renewal that was cut off. With a unit, it starts nothing:
   * the saved list is the one that the unit brings back with the new Node.js.
   * @returns the list from before, and its names with the modules
   */
  begin(
    node: string,
    former: FormerDaemon,
    unit: RenewedUnit | null,
  ): Promise<{ readonly before: readonly ProcessRecord[]; readonly names: readonly string[] }>;

  /** Ends the processes of that name in the former daemon and starts them in the new one. Starts nothing that was stopped. */
  move(name: string): Promise<readonly RestoredProcess[]>;

  /** Ends the former daemon and saves the list. */
  end(): Promise<void>;

  /** Brings everything back to the former daemon and ends the new one; with a unit, it saves the list from before. */
  turnBack(): Promise<readonly RestoredProcess[]>;
}

/** Replaces the declaration of a process. Its PM2 id, instances and mode stay. */
export interface DeclaredRun {
  /** The entry of the ecosystem file. */
  readonly app: Fields;
  /** The folder in which PM2 would be run with that file. */
  readonly folder: string;
  /** Variables of the process to remove. Others, such as those of a shell, stay. */
  readonly drop: readonly string[];
}

/** Restores the definition of a process from its record in a file of `saveRecords`. */
export interface SavedRun {
  readonly recordsFile: string;
  /** Env files that the process reads from copies instead, by the path of the file. */
  readonly envFileCopies?: ReadonlyMap<string, string>;
}

export interface RestoredProcess {
  readonly name: string;
  /** Null if PM2 refused it. */
  readonly pmId: number | null;
  readonly outcome: "started" | "at rest" | "already listed" | "failed";
  /** PM2's words. */
  readonly reason: string | null;
}

export type NextRun = DeclaredRun | SavedRun;

export interface ForeignRun {
  readonly script: string;
  readonly pid: number;
  readonly home: string;
  readonly user: string;
}

/** Times are in milliseconds since 1970. */
export interface WrittenErrors {
  readonly lines: readonly string[];
  readonly writtenMs: number;
  /** The last write to its standard output. */
  readonly outputMs?: number | undefined;
}

export interface ProcessName {
  readonly name: string;
  readonly pmId: number;
  readonly status: string;
  readonly namespace: string;
}

export interface HasProcesses {
  readonly processes: Processes;
}
