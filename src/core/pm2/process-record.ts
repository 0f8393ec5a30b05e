import type { Settings } from "./settings.ts";

/**
 * A process of PM2's list, built from permitted fields only. PM2's own record contains every environment value twice,
 * and the arguments. Here these are digests, which can be compared.
 *
 * @see CONTRACT section 5
 */
export interface ProcessRecord extends ProcessIdentity {
  readonly pid: number | null;
  readonly namespace: string;
  /** PM2's status: `online`, `launching`, `stopping`, `stopped`, `errored`, `waiting restart`, `one-launch-status`. */
  readonly status: string;
  readonly restartCount: number;
  readonly unstableRestarts: number;
  /** Start of this run in milliseconds since the epoch; null unless it is online. */
  readonly startedAt: number | null;
  /** The last start, successful or not, in milliseconds since the epoch. */
  readonly lastStartAt: number | null;
  readonly createdAt: number | null;
  readonly script: string | null;
  readonly cwd: string | null;
  /** For example `node`, `none`, or an absolute path. */
  readonly interpreter: string | null;
  readonly execMode: "fork" | "cluster" | null;
  /** The number of instances requested from PM2; null in fork mode. */
  readonly instances: number | null;
  readonly watching: boolean;
  readonly nodeVersion: string | null;
  readonly version: string | null;
  /** Also null for 0, which PM2 writes if a signal ended the process. */
  readonly exitCode: number | null;
  readonly cronRestart: string | null;
  /** Percent of one core and bytes, from PM2's last measurement; null unless the process is running. */
  readonly cpuPercent: number | null;
  readonly memoryBytes: number | null;
  readonly customMetrics: Readonly<Record<string, string | number>>;
  readonly customMetricUnits: Readonly<Record<string, string>>;
  /** `SVC_HTTP_PORT` in its environment, if that is a port. */
  readonly httpPort: number | null;
  readonly declaration: ProcessDeclaration;
}

/** Identifies a PM2 process, even if a later one gets the same id. */
export interface ProcessIdentity {
  readonly pmId: number;
  readonly name: string;
  /** PM2's unique id, which is never reused; null if this version of PM2 does not provide it. */
  readonly uniqueId: string | null;
}

/** The declared values as keyed digests, comparable with `Processes.digest`. */
export interface ProcessDeclaration {
  readonly argsDigest: string;
  readonly interpreterArgsDigest: string;
  /** By key, for the whole environment that the process was started with, including PM2's own keys. */
  readonly environment: Readonly<Record<string, string>>;
  readonly settings: Settings;
}

export interface OwnProcess {
  readonly pids: readonly number[];
  /** Its id and name in PM2, which PM2 puts into the environment of a process that it starts. */
  readonly pm2: { readonly pmId: number; readonly name: string } | null;
}

export function isOwn({ pid, pmId, name }: ProcessRecord, own: OwnProcess): boolean {
  if (pid !== null && own.pids.includes(pid)) return true;
  return own.pm2 !== null && own.pm2.pmId === pmId && own.pm2.name === name;
}
