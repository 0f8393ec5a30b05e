import { readEffect } from "./rollout/read-effect.ts";
import { join, parse, resolve } from "node:path";
import { nodeAsyncContext } from "./metrics/async-context.node.ts";
import { rights } from "./api/rights.ts";
import { auditLog } from "./access/audit-log.node.ts";
import { ecosystemLoader } from "./pm2/loader/index.ts";
import { nodeFacts } from "./project/facts/facts.node.ts";
import { factsCache } from "./project/facts/facts-cache.node.ts";
import { nodeFiles, nodeFileStamps } from "./files/index.ts";
import { gitRevisions } from "./files/git.ts";
import { nodeHealth } from "./rollout/health.node.ts";
import { nodeHistoryFiles } from "./history/history-files.node.ts";
import { nodeHost, systemClock, systemUser } from "./files/host.ts";
import { nodeInstallation } from "./setup/installation.node.ts";
import { nodeLogs } from "./logs/files/index.ts";
import { nodeLogCare } from "./logs/care/log-care.node.ts";
import { createAlerting } from "./alerts/alerting.ts";
import { nodeNotifier } from "./alerts/notifier.node.ts";
import { nodeUnits } from "./boot/units.node.ts";
import { pm2Daemons } from "./pm2/daemon/daemons.ts";
import { pm2SavedLists } from "./pm2/daemon/saved-lists.ts";
import { nodeMachine } from "./metrics/machine/index.ts";
import { nodePrometheus } from "./history/prometheus.node.ts";
import { pm2Processes } from "./pm2/daemon/index.ts";
import { nodeSightings } from "./events/sightings.node.ts";
import { nodeRunningCode } from "./running/evidence/index.ts";
import { nodeDeployed } from "./deploy/deployed.node.ts";
import { nodeReleases } from "./rollout/releases.node.ts";
import { pm2Schedules } from "./pm2/daemon/schedules.ts";
import { nodeProcessLogs } from "./logs/process-logs.node.ts";
import { findStateFolder } from "./pm2/state-place.node.ts";
import { resolveWorkspace, type WorkspaceOptions } from "./project/workspace.node.ts";
import { surveyFolder } from "./setup/survey.node.ts";
import { nodeTokens } from "./access/tokens.node.ts";
import type { Caller } from "./access/caller.ts";
import { createRecorder } from "./history/recorder.ts";
import { createEventFeed } from "./events/feed.ts";
import { createTelemetry } from "./metrics/sampling/create-telemetry.ts";
import { once } from "./words/once.ts";
import { readSecrets } from "./pm2/ecosystem-file.ts";
import type { Ports } from "./ports.ts";

export { describeError, errorTable, failureCode, refusal, SvcmError } from "./api/errors.ts";
export type { ErrorDescription, ErrorKind } from "./api/errors.ts";
export type { ContractResponse, EnvDiffResponse, EnvWriteResponse, ErrorBody } from "./api/bodies.ts";
export { authorise, execute } from "./execute.ts";
export { isGranted } from "./access/caller.ts";
export type { Access, Caller, Identity, RolloutStep } from "./access/caller.ts";
export type { Limits } from "./api/limits.ts";
export { rightRefusal } from "./access/rights.ts";
export { requireWithinLimits } from "./limits.ts";
export { rightsOf, rightsWithoutTokens } from "./access/rights.ts";
export { serverIdentity } from "./access/server-identity.ts";
export { RefusalLog, type RefusedAttempt } from "./access/refusal-log.ts";
export type { NatsProject, Project } from "./project/project.ts";
export { writeSecretFile } from "./files/private-files.ts";
export { isExpired } from "./access/tokens.ts";
export type { NodeAsker, Operation } from "./access/operation.ts";
export { stateText } from "./running/state-text.ts";
export type { Ports } from "./ports.ts";
export { FileError } from "./files/port-files.ts";
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
export type { Deploy, DeployPlan, DeployResult } from "./api/deploy.ts";
export type { BootReport, DaemonReport } from "./api/boot.ts";
export { OUTSIDE_EXIT_CODE } from "./boot/unit-text.ts";
export type { Release, RollbackPlan } from "./api/rollout.ts";
export type { LogBatch, LogQuery } from "./logs/port-logs.ts";
export { formatFields } from "./logs/fields-text.ts";
export { lineSize } from "./logs/line.ts";
export { chunk } from "./words/chunk.ts";
export type { HistoryResponse } from "./api/history.ts";
export { encodeSeriesApp } from "./history/selectors.ts";
export type { ListedNode, NodeState } from "./api/node.ts";
export { keepLogs } from "./logs/operations/keep-logs.ts";
export type { LogPruneResponse, LogRotationResponse, LogUsage, LogUsageResponse } from "./api/log-care.ts";
export { bytesText } from "./words/bytes-text.ts";
export type { LogLine, LogProblem, LogsResponse } from "./api/logs.ts";
export type { EventsResponse, FleetEventsResponse, ProcessShowResponse, SvcmEvent, WhyResponse } from "./api/events.ts";
export type { AuditRecord } from "./api/audit-record.ts";
export { floorToSecond } from "./events/seconds.ts";
export { settledTimes } from "./events/feed.ts";
export { matchesFilter, filterEvents, paginateEvents, toSvcmEvent, type EventFilter } from "./events/page.ts";
export { mergeNodeRecords, toTimedEvents, type SentRecord } from "./events/node-records.ts";
export { readUnsent, type DeliveryProgress, type NodeRecord } from "./events/unsent.ts";
export type { EventFeed } from "./events/port-events.ts";
export { type EventRow, foldRows } from "./events/event-rows.ts";
export { eventText } from "./events/event-text.ts";
export { stateSentences } from "./events/present-state.ts";
export * as auditText from "./access/audit-text.ts";
export { renderDiff } from "./deployments/diff/report/render.ts";
export { withProgress, type ApplyProgress } from "./rollout/apply/progress.ts";
export { readPlanFile, writePlanFile } from "./rollout/plan-file.ts";
export { failureLines } from "./rollout/report/failure-words.ts";
export { renderPlan } from "./rollout/report/render.ts";
export { unknownText } from "./rollout/report/words.ts";
export { renderReport } from "./setup/render-report.ts";
export { splitCells, toPrintable, cellsWidth } from "./findings/cells.ts";
export { countIssues, firstIssues, suggestionText } from "./findings/report.ts";
export { renderText, severityText, type Paint } from "./findings/text.ts";
export { METRICS_TYPES, type MetricsFormat } from "./metrics/open-metrics.ts";
export type { Sample, Telemetry, WatchRequest } from "./metrics/telemetry.ts";
export type { Field } from "./deployments/field.ts";
export { interfaceFields, targetFields } from "./deployments/fields.ts";
export { packagedCapabilityMatrix, packagedRuntimeContract } from "./project/facts/packaged.generated.ts";
export { entityTag } from "./words/entity-tag.ts";
export { layoutHint, withLayoutHint } from "./setup/layout-hint.ts";
export { environmentsWithEcosystem } from "./pm2/ecosystem-environments.ts";
export { describeGuesses } from "./project/keys.ts";
export { findCodeDoc } from "./setup/codes/catalog.ts";
export { selectNodes, selectorsOf } from "./nodes/select.ts";
export type { FleetRollout } from "./api/fleet-rollout.ts";
export { requireApplicable as refusePlan } from "./rollout/apply/require-applicable.ts";
export { suggest } from "./words/suggest.ts";
export * from "./operations.ts";
export { remoteOperations } from "./remote-operations.ts";
export { readConsole } from "./files/console-files.ts";
export type { ConsoleFiles, Encoding } from "./files/console-files.ts";
export { folderProblem } from "./project/workspace.node.ts";
export { deliveryFile, privateCopy, type DeliveryFile, type PrivateCopy } from "./files/private-files.ts";

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

/** The server itself, which keeps the logs small. */
export function serverCaller(): Caller {
  return { ...commandLineCaller(), source: "serve" };
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
    // Few commands deploy, so the others do not load its code.
    deploys: () =>
      once(async () => {
        const { nodeDeploys, releaseRoot, releaseWorld } = await import("./deploy/machine/index.ts");
        return nodeDeploys({ root, env }, (place) => {
          const own = { root: releaseRoot(place), env: { ...env, PM2_HOME: pm2Home }, cwd: root };
          // Links of a release lead to its shared files, and from there to the checkout.
          const outside = [root, place.checkout, place.layout.root, ...folders];
          return releaseWorld(ports, nodePorts({ ...own, folders: outside, logFolders }), place);
        });
      }),
    deployed: () => nodeDeployed({ root, pm2Home }, ports),
    runningCode: () => nodeRunningCode({ root, env, pm2Home }),
    tokens: () => nodeTokens(stateFolder, ports.files),
    processLogs: () => nodeProcessLogs(pm2Home),
    schedules: () => pm2Schedules(pm2Home),
    logs: () => nodeLogs({ env, cwd, folders: logFolders, secrets }),
    logCare: () => nodeLogCare({ pm2Home, folders: logFolders, nowMs: () => systemClock.now() }),
    sightings: () => nodeSightings({ pm2Home, auditFile }),
    eventFeed: () => createEventFeed(ports),
    machine: () => nodeMachine({ diskPaths: [parse(root).root, root, pm2Home] }),
    asyncContext: () => nodeAsyncContext,
    health: () => nodeHealth,
    stamps: () => nodeFileStamps,
    installation: () => nodeInstallation({ env, pm2Home }),
    effects: () => ({ read: (file, keys) => readEffect(ports, file, keys) }),
    telemetry: () => createTelemetry(ports),
    historyFiles: () => nodeHistoryFiles(join(stateFolder, "history")),
    prometheus: () => nodePrometheus(env),
    recorder: () => createRecorder(ports),
    notifier: () => nodeNotifier({ env, cwd: root }),
    alerting: () => createAlerting(ports),
    daemons: () => pm2Daemons(pm2Home),
    savedLists: () => pm2SavedLists(pm2Home),
    units: () => nodeUnits({ env }),
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
