/**
 * The world as the core sees it. Operations read and write through ports, `adapters/` implements them on the real
 * machine, and decisions never see them.
 */
import type { CapabilityMatrix, RuntimeContract } from "../facts/schema.ts";
import type { Survey } from "../project/detect/survey.ts";
import type { Project } from "../project/project.ts";
import type { Telemetry } from "../metrics/telemetry.ts";
import type { AuditLog } from "./audit-log.ts";
import type { Files } from "./files.ts";
import type { AsyncContext, FileStamps, Machine } from "./machine.ts";
import type { EcosystemLoader, Revisions } from "./programs.ts";
import type { Processes } from "./processes.ts";

export type { AuditCount, AuditLog, AuditPage, AuditQuery } from "./audit-log.ts";
export { FileError, type Files, type ReadOptions } from "./files.ts";
export type { EcosystemLoader, RevisionFile, Revisions } from "./programs.ts";

export interface Ports {
  readonly workspace: Workspace;
  readonly facts: Facts;
  readonly files: Files;
  /** Names and texts of a repository's files, for detection; runs none and follows no link. */
  survey(root: string): Promise<Survey>;
  readonly revisions: Revisions;
  readonly ecosystems: EcosystemLoader;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly host: Host;
  readonly processes: Processes;
  readonly machine: Machine;
  readonly asyncContext: AsyncContext;
  readonly stamps: FileStamps;
  /** One for each server: all watchers of the same ports share one sampler. */
  readonly telemetry: Telemetry;
}

/** The folders and files of one repository. Every path is absolute. @see CONTRACT section 2b */
export interface Workspace {
  readonly root: string;
  /** True if the root was given or found by its marks. If not, it is the current folder, which may be any folder. */
  readonly isKnown: boolean;
  /** Folder of the env files. */
  readonly configDir: string;
  /** Folder of the PM2 ecosystem files. */
  readonly pm2Dir: string;
  /** The audit log for the repository's files. */
  readonly auditFile: string;
  /** The folder of PM2; it may not exist. */
  readonly pm2Home: string;
  /** `NODE_ENV` as it was set: the environment of a request that names none. */
  readonly nodeEnv: string | undefined;
}

/** The two declarative sources: the repository's own if it has them, else the packaged ones. */
export interface Facts {
  /** The content of `svcm.yaml`; `undefined` without the file. @throws {SvcmError} FACT_INVALID with every issue and its place. */
  project(): Promise<Project | undefined>;
  /** @throws {SvcmError} FACT_INVALID with every issue and its place. */
  runtimeContract(): Promise<RuntimeContract>;
  /** @throws {SvcmError} FACT_INVALID with every issue and its place. */
  capabilityMatrix(): Promise<CapabilityMatrix>;
}

export interface Clock {
  /** Milliseconds since the epoch, for people and files. It jumps when the machine's clock is set. */
  now(): number;

  /** Milliseconds on a clock that never jumps, for deadlines and intervals. Comparable only with itself. */
  elapsed(): number;

  /** @throws the signal's reason if it is aborted. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Host {
  /** SHA-256 of the bytes, base64url. */
  digest(bytes: Uint8Array): string;

  /** A UUID. */
  randomId(): string;

  /** The machine's own identifier (`machine-id`), else its host name. It identifies the machine: only a digest may leave. */
  machineId(): Promise<string>;

  /** Number of CPU cores, at least 1: the default of a worker count. */
  cpuCores(): number;
}
