/**
 * The outside world as the core sees it. Operations use ports, `adapters/` implements them, and decisions never use
 * them.
 */
import type { Telemetry } from "../metrics/telemetry.ts";
import type { Survey } from "../project/detect/survey.ts";
import type { Alerting, Notifier } from "./alerts.ts";
import type { AuditLog } from "./audit-log.ts";
import type { EventFeed, ProcessLogs, Sightings } from "./events.ts";
import type { FileStamps, Files } from "./files.ts";
import type { HistoryFiles, Prometheus, Recorder } from "./history.ts";
import type { Logs } from "./logs.ts";
import type { Clock, Host, Installation, Machine } from "./machine.ts";
import type { AsyncContext, Health } from "./probes.ts";
import type { Processes } from "./processes.ts";
import type { Releases } from "./releases.ts";
import type { EcosystemLoader, Facts, Revisions, Workspace } from "./repository.ts";
import type { Schedules } from "./schedules.ts";
import type { RunningCode } from "./running-code.ts";
import type { Tokens } from "./tokens.ts";

export type { AuditCount, AuditLog, AuditPage, AuditQuery } from "./audit-log.ts";
export { FileError, type Files, type ReadOptions } from "./files.ts";
export type { Clock, Host } from "./machine.ts";
export type {
  EcosystemLoader,
  Facts,
  LoadPurpose,
  RevisionFile,
  RevisionState,
  Revisions,
  Workspace,
} from "./repository.ts";

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
  readonly runningCode: RunningCode;
  readonly tokens: Tokens;
  readonly processLogs: ProcessLogs;
  readonly schedules: Schedules;
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
