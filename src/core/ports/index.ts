/**
 * The outside world as the core sees it. Operations use ports, `adapters/` implements them, and decisions never use
 * them.
 */
import type { CapabilityMatrix, RuntimeContract } from "../facts/schema.ts";
import type { Survey } from "../project/detect/survey.ts";
import type { Project } from "../project/project.ts";
import type { Telemetry } from "../metrics/telemetry.ts";
import type { AuditLog } from "./audit-log.ts";
import type { EventFeed } from "./event-feed.ts";
import type { Files } from "./files.ts";
import type { Health } from "./health.ts";
import type { AsyncContext, FileStamps, Machine } from "./machine.ts";
import type { HistoryFiles, Prometheus, Recorder } from "./history.ts";
import type { Installation } from "./installation.ts";
import type { Logs } from "./logs.ts";
import type { EcosystemLoader, Revisions } from "./programs.ts";
import type { ProcessLogs } from "./process-logs.ts";
import type { Alerting, Notifier } from "./notifier.ts";
import type { Processes } from "./processes.ts";
import type { Sightings } from "./sightings.ts";
import type { Releases } from "./releases.ts";
import type { Tokens } from "./tokens.ts";

export type { AuditCount, AuditLog, AuditPage, AuditQuery } from "./audit-log.ts";
export { FileError, type Files, type ReadOptions } from "./files.ts";
export type { EcosystemLoader, RevisionFile, RevisionState, Revisions } from "./programs.ts";

export interface Ports {
  readonly workspace: Workspace;
  readonly facts: Facts;
  readonly files: Files;
  /** Lists the files of a repository and reads some texts. Runs no file and follows no link. */
  survey(root: string): Promise<Survey>;
  readonly revisions: Revisions;
  readonly ecosystems: EcosystemLoader;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly host: Host;
  readonly processes: Processes;
  readonly releases: Releases;
  readonly tokens: Tokens;
  readonly processLogs: ProcessLogs;
  readonly logs: Logs;
  readonly sightings: Sightings;
  /** One per server, so that all followers share one reader. */
  readonly eventFeed: EventFeed;
  readonly machine: Machine;
  readonly asyncContext: AsyncContext;
  readonly health: Health;
  readonly stamps: FileStamps;
  readonly installation: Installation;
  /** One per server, so that all watchers share one sampler. */
  readonly telemetry: Telemetry;
  readonly historyFiles: HistoryFiles;
  readonly prometheus: Prometheus;
  /** One per server. */
  readonly recorder: Recorder;
  readonly notifier: Notifier;
  readonly alerting: Alerting;
}

/** The folders and files of a repository, as absolute paths. @see CONTRACT section 2b */
export interface Workspace {
  readonly root: string;
  /**
   * The flag, variable or marker file that determined the root. `undefined` if the root is simply the current folder.
   */
  readonly rootSource: string | undefined;
  readonly configDir: string;
  readonly pm2Dir: string;
  readonly auditFile: string;
  readonly pm2Home: string;
  /** The variable or file that sets it; `undefined` for the default. */
  readonly pm2HomeSource: string | undefined;
  /** `NODE_ENV`: the default environment of a request. */
  readonly nodeEnv: string | undefined;
}

export interface Facts {
  /** The content of `svcm.yaml`, if the file exists. @throws {SvcmError} FACT_INVALID with every issue */
  project(): Promise<Project | undefined>;
  runtimeContract(): Promise<RuntimeContract>;
  capabilityMatrix(): Promise<CapabilityMatrix>;
}

export interface Clock {
  /** Milliseconds since 1970, for users and files. Jumps when the clock is set. */
  now(): number;

  /** Milliseconds on a monotonic clock, for deadlines and intervals. */
  elapsed(): number;

  /** @throws the signal's reason if it is aborted */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
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
