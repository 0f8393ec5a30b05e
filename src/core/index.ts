export { systemUser } from "./files/host.ts";
export { describeError, errorTable, failureCode, refusal, SvcmError } from "./api/errors.ts";
export type { ErrorDescription, ErrorKind } from "./api/errors.ts";
export type { ContractResponse, EnvDiffResponse, EnvWriteResponse, ErrorBody } from "./api/bodies.ts";
export { authorise, execute } from "./execute.ts";
export { isGranted } from "./access/operation.ts";
export type { Access, Caller, Identity, RolloutStep } from "./access/operation.ts";
export type { Limits } from "./api/rights.ts";
export { rightRefusal, rightsOf, rightsWithoutTokens, serverIdentity } from "./access/rights.ts";
export { requireWithinLimits } from "./limits.ts";
export { planProjectEdit } from "./setup/edit-project.ts";
export { identifyProcess, isRunning } from "./files/proc.ts";
export { withAudit } from "./access/with-audit.ts";
export { RefusalLog, type RefusedAttempt } from "./access/refusal-log.ts";
export type { NatsProject, Project } from "./project/project.ts";
export { isOpenToOthers, writeSecretFile } from "./files/private-files.ts";
export { isExpired } from "./access/tokens.ts";
export type { NodeAsker, Operation } from "./access/operation.ts";
export { countStates, stateText } from "./running/state-text.ts";
export { commandLineCaller, MAX_FILE_BYTES, nodePorts, openPorts, serverCaller } from "./node-ports.ts";
export type { Ports } from "./ports.ts";
export { FileError } from "./files/ports.ts";
export {
  diffFormats,
  documentSections,
  entrypoints,
  exportFormats,
  planFormats,
  reportFormats,
  schemaNames,
  keyKinds,
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
export type { RollbackPlan } from "./api/rollout-requests.ts";
export type { Plan, Release } from "./api/rollout.ts";
export type { LogBatch, LogQuery } from "./logs/port-logs.ts";
export { formatFields } from "./logs/fields-text.ts";
export { lineSize } from "./logs/line.ts";
export { chunk } from "./words/record.ts";
export type { HistoryResponse } from "./api/history.ts";
export { encodeSeriesApp } from "./history/columns.ts";
export type { ListedNode, NodeState } from "./api/node.ts";
export { forgetEnded } from "./approvals/forget-ended.ts";
export { watchBoot } from "./boot/examine.ts";
export { keepLogs } from "./logs/operations/logs.ts";
export type { LogPruneResponse, LogRotationResponse, LogUsage, LogUsageResponse } from "./api/logs.ts";
export { bytesText } from "./words/numbers.ts";
export type { LogLine, LogProblem, LogsResponse } from "./api/logs.ts";
export type { EventsResponse, FleetEventsResponse, ProcessShowResponse, SvcmEvent, WhyResponse } from "./api/events.ts";
export type { AuditRecord } from "./api/audit-record.ts";
export { floorToSecond } from "./words/time.ts";
export { settledTimes } from "./events/feed.ts";
export { matchesFilter, filterEvents, paginateEvents, toSvcmEvent, type EventFilter } from "./events/page.ts";
export {
  mergeNodeRecords,
  toTimedEvents,
  type SentRecord,
  readUnsent,
  type DeliveryProgress,
  type NodeRecord,
} from "./events/unsent.ts";
export type { EventFeed } from "./events/ports.ts";
export { type EventRow, foldRows, eventText } from "./events/event-text.ts";
export { stateSentences } from "./events/operations/process-show.ts";
export * as auditText from "./access/audit-text.ts";
export { renderDiff } from "./deployments/diff/report/render.ts";
export { withProgress, type ApplyProgress } from "./rollout/apply/recording.ts";
export { optionsOfPlan, readPlanFile, writePlanFile } from "./rollout/plan.ts";
export { withChanges } from "./rollout/report/plan-changes.ts";
export { failureLines } from "./rollout/report/words.ts";
export { renderPlan } from "./rollout/report/render.ts";
export {
  changedFilesText,
  doubtText,
  heldText,
  isOfFailedTask,
  keptCodeText,
  leftOutText,
  linkText,
  returnText,
  unknownText,
  unknownTexts,
} from "./rollout/report/words.ts";
export { renderReport } from "./setup/render-report.ts";
export { splitCells, toPrintable, cellsWidth } from "./findings/cells.ts";
export { countIssues, firstIssues, suggestionText } from "./findings/rule.ts";
export { renderText, severityText, type Paint } from "./findings/text.ts";
export { METRICS_TYPES, type MetricsFormat } from "./metrics/open-metrics.ts";
export type { Sample, Telemetry, WatchRequest } from "./metrics/telemetry.ts";
export type { Field } from "./deployments/fields.ts";
export { interfaceFields, targetFields } from "./deployments/fields.ts";
export { packagedCapabilityMatrix, packagedRuntimeContract } from "./project/facts/packaged.generated.ts";
export { entityTag } from "./words/http.ts";
export { layoutHint, withLayoutHint } from "./setup/layout-hint.ts";
export { environmentsWithEcosystem } from "./pm2/declared.ts";
export { describeGuesses } from "./project/keys.ts";
export { findCodeDoc } from "./setup/codes/catalog.ts";
export { judgeRecord, type UnreadableRollout } from "./nodes/rollout.ts";
export { selectNodes, selectorsOf } from "./nodes/select.ts";
export type { FleetRollout } from "./api/fleet-rollout.ts";
export { requireApplicable as refusePlan } from "./rollout/apply/apply.ts";
export { suggest } from "./words/suggest.ts";
export * from "./operations.ts";
export { remoteOperations } from "./remote-operations.ts";
export { readConsole } from "./files/console-files.ts";
export type { ConsoleFiles, Encoding } from "./files/console-files.ts";
export { folderProblem, repositoryRoot, workingFolder } from "./project/workspace.node.ts";
export { overriddenFolders, overrideText } from "./project/folder-variables.ts";
export { deliveryFile, privateCopy, type DeliveryFile, type PrivateCopy } from "./files/private-files.ts";
