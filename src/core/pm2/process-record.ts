/**
 * A process as PM2 lists it, built from allowed fields only: PM2's own record holds every value of
 * the process's environment twice, and its arguments. Neither is here; what is declared can still
 * be compared, by digest.
 *
 * @see CONTRACT section 5
 */
export interface ProcessRecord extends ProcessIdentity {
  /** Null unless the process runs. */
  readonly pid: number | null;
  readonly namespace: string;
  /** PM2's word: `online`, `launching`, `stopping`, `stopped`, `errored`, `waiting restart`, `one-launch-status`. */
  readonly status: string;
  /** How often it was restarted, by PM2 itself or by somebody. */
  readonly restartCount: number;
  /** How often in a row it ended before PM2 took it for stable. */
  readonly unstableRestarts: number;
  /** When this run began, in milliseconds since the epoch; null unless it is online. */
  readonly startedAt: number | null;
  /** When PM2 started it last, whatever came of it, in milliseconds since the epoch. */
  readonly lastStartAt: number | null;
  /** When it was started first, or last restarted on request, in milliseconds since the epoch. */
  readonly createdAt: number | null;
  /** Absolute path of what is run. */
  readonly script: string | null;
  readonly cwd: string | null;
  /** For example `node`, `none`, or an absolute path. */
  readonly interpreter: string | null;
  readonly execMode: "fork" | "cluster" | null;
  /** How many instances were asked for: PM2's own number, absent in fork mode. */
  readonly instances: number | null;
  readonly watching: boolean;
  /** Version of the Node.js that runs it. */
  readonly nodeVersion: string | null;
  /** Version that the package of the script says. */
  readonly version: string | null;
  /** Of its last end. */
  readonly exitCode: number | null;
  /** Per cent of one core and bytes, as PM2's daemon measured last; null unless the process runs. */
  readonly cpuPercent: number | null;
  readonly memoryBytes: number | null;
  /** What the process reports of itself through PM2, by name. */
  readonly customMetrics: Readonly<Record<string, string | number>>;
  /** Unit of a custom metric, by the same name, for example `MiB`; only of metrics that have one. */
  readonly customMetricUnits: Readonly<Record<string, string>>;
  /** `SVC_HTTP_PORT` of its environment, where that is a port. */
  readonly httpPort: number | null;
  readonly declaration: ProcessDeclaration;
}

/** What tells a process of PM2 from all others, also from a later one that gets its number again. */
export interface ProcessIdentity {
  readonly pmId: number;
  readonly name: string;
  /** PM2's own identifier, which never returns; null from a PM2 that gives none. */
  readonly uniqueId: string | null;
}

/** What was declared, as keyed digests: equal to `Processes.digest` of the same value, and no more. */
export interface ProcessDeclaration {
  /** Of the arguments of the script, as a list. */
  readonly argsDigest: string;
  /** Of the arguments of the interpreter, as a list. */
  readonly interpreterArgsDigest: string;
  /** Every key of the environment that the process was started with, PM2's own ones among them. */
  readonly environment: Readonly<Record<string, string>>;
}
