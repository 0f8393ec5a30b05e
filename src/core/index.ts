import { join, parse, resolve } from "node:path";
import { nodeAsyncContext } from "./adapters/async-context.ts";
import { rights } from "./api/rights.ts";
import { auditLog } from "./adapters/audit-log.ts";
import { ecosystemLoader } from "./adapters/ecosystem-loader/index.ts";
import { nodeFacts } from "./adapters/facts.ts";
import { factsCache } from "./adapters/facts-cache.ts";
import { nodeFiles, nodeFileStamps } from "./adapters/files/index.ts";
import { gitRevisions } from "./adapters/git.ts";
import { nodeHealth } from "./adapters/health.ts";
import { nodeHistoryFiles } from "./adapters/history-files.ts";
import { nodeHost, systemClock, systemUser } from "./adapters/host.ts";
import { nodeInstallation } from "./adapters/installation.ts";
import { nodeLogs } from "./adapters/logs/index.ts";
import { createAlerting } from "./alerts/alerting.ts";
import { nodeNotifier } from "./adapters/notifier.ts";
import { nodeMachine } from "./adapters/machine/index.ts";
import { nodePrometheus } from "./adapters/prometheus.ts";
import { pm2Processes } from "./adapters/pm2/index.ts";
import { nodeSightings } from "./adapters/sightings.ts";
import { nodeRunningCode } from "./adapters/running/index.ts";
import { nodeReleases } from "./adapters/releases.ts";
import { pm2Schedules } from "./adapters/pm2/schedules.ts";
import { nodeProcessLogs } from "./adapters/process-logs.ts";
import { findStateFolder } from "./adapters/state-place.ts";
import { resolveWorkspace, type WorkspaceOptions } from "./adapters/workspace.ts";
import { surveyFolder } from "./adapters/survey.ts";
import { nodeTokens } from "./adapters/tokens.ts";
import type { Caller } from "./caller.ts";
import { createRecorder } from "./history/recorder.ts";
import { createEventFeed } from "./events/feed.ts";
import { createTelemetry } from "./metrics/sampling/create-telemetry.ts";
import { readSecrets } from "./pm2/ecosystem-file.ts";
import type { Ports } from "./ports/index.ts";

export { describeError, errorTable, failureCode, refusal, SvcmError } from "./errors.ts";
export type { ErrorDescription, ErrorKind } from "./errors.ts";
export type { ContractResponse, EnvDiffResponse, EnvWriteResponse, ErrorBody } from "./api/bodies.ts";
export { authorise, execute } from "./operation.ts";
export { isGranted } from "./caller.ts";
export type { Access, Caller, Identity, Limits, RolloutStep } from "./caller.ts";
export { rightRefusal } from "./identity/rights.ts";
export { requireWithinLimits } from "./identity/limits.ts";
export { rightsOf, rightsWithoutTokens } from "./identity/rights.ts";
export { serverIdentity } from "./identity/server-identity.ts";
export { RefusalLog, type RefusedAttempt } from "./audit/refusal-log.ts";
export type { NatsProject, Project } from "./project/project.ts";
export { writeSecretFile } from "./adapters/private-files.ts";
export { isExpired } from "./identity/tokens.ts";
export type { NodeAsker, Operation } from "./operation.ts";
export { stateText } from "./running/state-text.ts";
export type { Ports } from "./ports/index.ts";
export { FileError } from "./ports/index.ts";
export {
  diffFormats,
  documentSections,
  entrypoints,
  exportFormats,
  planFormats,
  reportFormats,
  schemaNames,
  tiers,
  type ProcessStateName,
} from "./api/names.ts";
export { roles } from "./api/rights.ts";
export { ecosystemSpellings, envSpellings } from "./project/resolve.ts";
export { isValid, locatedMessage, locationText } from "./api/issue.ts";
export type { Issue } from "./api/issue.ts";
export type { DriftEntry, UnknownPart } from "./api/drift.ts";
export type { MetricsPayload } from "./api/metrics.ts";
export type { Release, RollbackPlan } from "./api/rollout.ts";
export type { LogBatch, LogQuery } from "./ports/logs.ts";
export { formatFields } from "./logs/fields-text.ts";
export { lineSize } from "./logs/line.ts";
export { chunk } from "./words/chunk.ts";
export type { HistoryResponse } from "./api/history.ts";
export { encodeSeriesApp } from "./history/selectors.ts";
export type { ListedNode, NodeState } from "./api/node.ts";
export type { LogLine, LogProblem, LogsResponse } from "./api/logs.ts";
export type { EventsResponse, FleetEventsResponse, ProcessShowResponse, SvcmEvent, WhyResponse } from "./api/events.ts";
export type { AuditRecord } from "./api/audit-record.ts";
export { floorToSecond } from "./events/seconds.ts";
export { settledTimes } from "./events/feed.ts";
export { matchesFilter, filterEvents, paginateEvents, toSvcmEvent, type EventFilter } from "./events/page.ts";
export { mergeNodeRecords, toTimedEvents, type SentRecord } from "./events/node-records.ts";
export { readUnsent, type DeliveryProgress, type NodeRecord } from "./events/unsent.ts";
export type { EventFeed } from "./ports/events.ts";
export { type EventRow, foldRows } from "./events/event-rows.ts";
export { eventText } from "./events/event-text.ts";
export { stateSentences } from "./events/present-state.ts";
export * as auditText from "./audit/audit-text.ts";
export { renderDiff } from "./deployments/diff/report/render.ts";
export { withProgress, type ApplyProgress } from "./rollout/apply/progress.ts";
export { readPlanFile, writePlanFile } from "./rollout/plan-file.ts";
export { failureLines } from "./rollout/report/failure-words.ts";
export { renderPlan } from "./rollout/report/render.ts";
export { unknownText } from "./rollout/report/words.ts";
export { renderReport } from "./findings/render.ts";
export { splitCells, toPrintable, cellsWidth } from "./findings/cells.ts";
export { countIssues, firstIssues, suggestionText } from "./findings/report.ts";
export { renderText, severityText, type Paint } from "./findings/text.ts";
export { METRICS_TYPES, type MetricsFormat } from "./metrics/open-metrics.ts";
export type { Sample, Telemetry, WatchRequest } from "./metrics/telemetry.ts";
export type { Field } from "./deployments/field.ts";
export { interfaceFields, targetFields } from "./deployments/fields.ts";
export { packagedCapabilityMatrix, packagedRuntimeContract } from "./facts/packaged.generated.ts";
export { entityTag } from "./entity-tag.ts";
export { layoutHint, withLayoutHint } from "./project/layout-hint.ts";
export { environmentsWithEcosystem } from "./project/ecosystem-environments.ts";
export { describeGuesses } from "./project/keys.ts";
export { findCodeDoc } from "./findings/catalog.ts";
export { selectNodes, selectorsOf } from "./nodes/select.ts";
export type { FleetRollout } from "./api/fleet-rollout.ts";
export { requireApplicable as refusePlan } from "./rollout/apply/require-applicable.ts";
export { suggest } from "./words/suggest.ts";
export * from "./operations/index.ts";
export { remoteOperations } from "./operations/remote.ts";
export { readConsole } from "./adapters/console-files.ts";
export type { ConsoleFiles, Encoding } from "./adapters/console-files.ts";
export { folderProblem } from "./adapters/workspace.ts";
export { deliveryFile, privateCopy, type DeliveryFile, type PrivateCopy } from "./adapters/private-files.ts";

/** At a terminal, file permissions limit the user; svcm adds no limits. */
export function commandLineCaller(): Caller {
  return {
    source: "cli",
    get actor() {
      return systemUser();
    },
    grants: rights,
  };
}

/** Enough for a deployments document with twenty thousand deploy targets. */
export const MAX_FILE_BYTES = 4 * 2 ** 20;

/** Each port is created on first use, because a command uses few of them. */
export function nodePorts(options: WorkspaceOptions): Ports {
  const workspace = resolveWorkspace(options);
  const { root, configDir, stateFolder, auditFile, pm2Home } = workspace;
  const { env, cwd, folders = [], logFolders = [] } = options;
  const secrets = async () => readSecrets(ports, await ports.facts.runtimeContract());
  const ports: Ports = createLazily<Ports>({
    workspace: () => workspace,
    facts: () => nodeFacts(root, ports.files, () => factsCache(env)),
    survey: () => surveyFolder,
    files: () => nodeFiles({ allowedFolders: [root, configDir, stateFolder, ...folders], maxBytes: MAX_FILE_BYTES }),
    revisions: () => gitRevisions({ root, env, maxBytes: MAX_FILE_BYTES }),
    ecosystems: () => ecosystemLoader({ root, env }),
    audit: () => auditLog({ file: auditFile, pm2Home, earlier: join(root, ".svcm", "audit.jsonl") }),
    clock: () => systemClock,
    host: () => nodeHost,
    processes: () => pm2Processes({ env, cwd }),
    releases: () => nodeReleases(pm2Home, root),
    runningCode: () => nodeRunningCode({ root, env, pm2Home }),
    tokens: () => nodeTokens(stateFolder, ports.files),
    processLogs: () => nodeProcessLogs(pm2Home),
    schedules: () => pm2Schedules(pm2Home),
    logs: () => nodeLogs({ env, cwd, folders: logFolders, secrets }),
    sightings: () => nodeSightings({ pm2Home, auditFile }),
    eventFeed: () => createEventFeed(ports),
    machine: () => nodeMachine({ diskPaths: [parse(root).root, root, pm2Home] }),
    asyncContext: () => nodeAsyncContext,
    health: () => nodeHealth,
    stamps: () => nodeFileStamps,
    installation: () => nodeInstallation({ env, pm2Home }),
    telemetry: () => createTelemetry(ports),
    historyFiles: () => nodeHistoryFiles(join(stateFolder, "history")),
    prometheus: () => nodePrometheus(env),
    recorder: () => createRecorder(ports),
    notifier: () => nodeNotifier({ env, cwd: root }),
    alerting: () => createAlerting(ports),
  });
  return ports;
}

/** If `svcm.yaml` is invalid, the first operation that reads it reports that. */
export async function openPorts(options: WorkspaceOptions): Promise<Ports> {
  const ports = nodePorts(options);
  const project = await ports.facts.project().catch(() => undefined);
  const { pm2Home, folders = [], logFolders = [] } = project ?? {};
  const { root } = ports.workspace;
  const { env } = options;
  const home = pm2Home?.replace(/^~(?=\/|$)/, env["HOME"] ?? "~");
  const declared = home === undefined || env["PM2_HOME"] ? {} : { PM2_HOME: resolve(root, home) };
  const declaredOptions = {
    ...options,
    env: { ...env, ...declared },
    hasDeclaredHome: "PM2_HOME" in declared,
    folders: folders.map((folder) => resolve(root, folder)),
    logFolders: logFolders.map((folder) => resolve(root, folder)),
  };
  const first = nodePorts(declaredOptions);
  const list = async () => {
    try {
      return await first.processes.list();
    } finally {
      await first.processes.close();
    }
  };
  const stateFolder = await findStateFolder({ root, pm2Home: first.workspace.pm2Home, project, list });
  return stateFolder === first.workspace.stateFolder ? first : nodePorts({ ...declaredOptions, stateFolder });
}

function createLazily<T extends object>(factories: { readonly [Name in keyof T]: () => T[Name] }): T {
  const created = {} as T;
  for (const name of Object.keys(factories) as (keyof T)[]) {
    const get = (): T[typeof name] => {
      const value = factories[name]();
      Object.defineProperty(created, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(created, name, { get, configurable: true, enumerable: true });
  }
  return created;
}
