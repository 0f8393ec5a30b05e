import type { Settings } from "./settings.ts";

/**
 * PM2's own record contains every environment value twice, and the arguments. Here these are digests.
 * @see CONTRACT section 5
 */
export interface ProcessRecord extends ProcessIdentity {
  readonly pid: number | null;
  /** PM2 runs in another container: here, the pid is the number of another process, or of none. */
  readonly isElsewhere?: true;
  readonly namespace: string;
  /** PM2's status: `online`, `launching`, `stopping`, `stopped`, `errored`, `waiting restart`, `one-launch-status`. */
  readonly status: string;
  readonly restartCount: number;
  readonly unstableRestarts: number;
  /** In milliseconds since 1970; null unless it is online. */
  readonly startedAt: number | null;
  /** Successful or not, in milliseconds since 1970. */
  readonly lastStartAt: number | null;
  readonly createdAt: number | null;
  readonly script: string | null;
  readonly cwd: string | null;
  readonly interpreter: string | null;
  readonly execMode: "fork" | "cluster" | null;
  /** Null in fork mode. */
  readonly instances: number | null;
  readonly watching: boolean;
  /** PM2 watches with an `ignore_watch` that does not cover `.svcm`; its own default does. */
  readonly watchesDotFolders?: boolean;
  readonly nodeVersion: string | null;
  readonly version: string | null;
  /** Also null for 0, which PM2 writes if a signal ended the process. */
  readonly exitCode: number | null;
  /** The exit code is one of its `stop_exit_codes`, which its app chose. */
  readonly isStopCode?: true;
  readonly cronRestart: string | null;
  /** Percent of one core, and bytes; null unless the process is running. */
  readonly cpuPercent: number | null;
  readonly memoryBytes: number | null;
  readonly customMetrics: Readonly<Record<string, string | number>>;
  readonly customMetricUnits: Readonly<Record<string, string>>;
  /** The commit at the start, if PM2 recorded it. */
  readonly versioning: { readonly revision: string; readonly isDirty: boolean } | null;
  /** From `SVC_HTTP_PORT`, if that is a port. */
  readonly httpPort: number | null;
  /** The ports that it has in its variables to listen on; absent without any. */
  readonly listenPorts?: readonly number[];
  /** The value of its variable `PORT`. */
  readonly port?: number | null;
  /** Absolute paths, where PM2's default is not used; `null` for a log that is discarded. */
  readonly logFiles?: { readonly error: string | null; readonly out: string | null };
  readonly declaration: ProcessDeclaration;
}

/** A later process may get the same id. */
export interface ProcessIdentity {
  readonly pmId: number;
  readonly name: string;
  /** Never reused; null if this version of PM2 does not provide it. */
  readonly uniqueId: string | null;
}

/** Keyed digests, comparable with `Processes.digest`. */
export interface ProcessDeclaration {
  readonly argsDigest: string;
  readonly interpreterArgsDigest: string;
  /** By key, including PM2's own keys. */
  readonly environment: Readonly<Record<string, string>>;
  readonly settings: Settings;
}

export interface OwnProcess {
  readonly pids: readonly number[];
  /** PM2 puts both into the environment of a process. */
  readonly pm2: { readonly pmId: number; readonly name: string } | null;
}

export function workingFolders(records: readonly Pick<ProcessRecord, "cwd">[]): Set<string> {
  return new Set(records.flatMap(({ cwd }) => (cwd === null ? [] : [cwd])));
}

export function isOwnProcess({ pid, pmId, name }: ProcessRecord, own: OwnProcess): boolean {
  if (pid !== null && own.pids.includes(pid)) return true;
  return own.pm2 !== null && own.pm2.pmId === pmId && own.pm2.name === name;
}

export type SkipReason =
  | "SELF_ACTION_BLOCKED"
  | "ALREADY_RUNNING"
  | "ALREADY_STOPPED"
  | "ALREADY_DELETED"
  | "JOB_WAITS";

export interface SkippedProcess {
  readonly name: string;
  readonly pmId: number;
  readonly namespace: string;
  readonly reason: SkipReason;
}

export function toSkipped({ name, pmId, namespace }: ProcessRecord, reason: SkipReason): SkippedProcess {
  return { name, pmId, namespace, reason };
}

export interface RunningCommand {
  readonly id: string;
  readonly verb: string;
  /** The words after the verb, without options. */
  readonly words: readonly string[];
  readonly user: string;
}
