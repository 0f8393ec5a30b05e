export { alertsTest, markList, markMute, markNote } from "./alerts/operations/alerts.ts";
export { auditList, identityShow, tokenList, type ListedToken, tokenRevoke } from "./access/operations/access.ts";
export {
  bootDisable,
  type BootDisableResponse,
  bootEnable,
  type BootEnableResponse,
  bootShow,
} from "./boot/operations/boot.ts";
export { bootDrain, bootRestore, type BootRestoreResponse, bootSave } from "./boot/operations/saved-list.ts";
export { codeExplain } from "./setup/operations/code-explain.ts";
export { completionList, type Completable } from "./setup/operations/completion-list.ts";
export { contractShow } from "./setup/operations/contract-show.ts";
export { daemonRenew, type DaemonRenewResponse, daemonShow } from "./boot/operations/daemon.ts";
export {
  declarationsPlan,
  declarationsRead,
  declarationsWrite,
  configurationSet,
  deploymentsMigrate,
  interfaceAdd,
  interfaceEdit,
  interfaceRemove,
  targetAdd,
  targetDuplicate,
  targetEdit,
  targetRemove,
  entryQuestion,
  type EntryQuestion,
} from "./deployments/operations/declarations.ts";
export { deployPlan, deployRun } from "./deploy/operations/deploy.ts";
export { ecosystemCheck, ecosystemShow } from "./pm2/operations/ecosystem.ts";
export { ecosystemDrift, type EcosystemDrift } from "./metrics/operations/metrics.ts";
export { envApp, type EnvAppResponse } from "./rollout/operations/env-app.ts";
export { envRead, type TaggedResponse } from "./env/operations/env-read.ts";
export { envCheck, envDiff, envTemplate } from "./env/operations/env-comparison.ts";
export { envRewrite, envSource } from "./env/operations/env-edit.ts";
export { envExport, envProcess } from "./pm2/operations/ecosystem.ts";
export {
  envUnset,
  type EnvUnsetResponse,
  envPlan,
  envWrite,
  type EnvPlanResponse,
} from "./env/operations/env-write.ts";
export { eventWhy, eventsList } from "./events/operations/events.ts";
export { historyRecord, historyShow } from "./history/operations/history.ts";
export { keysAdd, keysConfirm, keysList, keysSetTier, type KeysEditResponse } from "./setup/operations/keys.ts";
export { type ListedKey } from "./project/keys.ts";
export { logsPrune, logsRead, logsUsage, logsRotate } from "./logs/operations/logs.ts";
export { metricsExpose, metricsShow, nodeShow } from "./metrics/operations/metrics.ts";
export { processAct, type ProcessActionResult } from "./rollout/operations/process-act.ts";
export { createActionSubject as attemptedAction } from "./rollout/control/action.ts";
export { processList, type ListedProcess, type ProcessListResponse } from "./metrics/operations/metrics.ts";
export {
  processRun,
  processScale,
  type ProcessScaleResult,
  processWait,
  type ProcessWaitResponse,
} from "./rollout/operations/process-wait.ts";
export { type ProcessRunResult } from "./api/rollout-requests.ts";
export { processShow } from "./events/operations/process-show.ts";
export { profileApply, profileList, profileShow } from "./env/operations/profiles.ts";
export { projectDoctor, type DoctorAnswer, type DoctorResponse } from "./setup/operations/project-doctor.ts";
export { projectInit, type InitResponse } from "./setup/operations/project-init.ts";
export { proposalApprove, proposalDeny, proposalList, proposalRun } from "./approvals/operations/proposal-decide.ts";
export { proposalCreate } from "./approvals/operations/proposal-create.ts";
export { releaseList, releaseShow, rolloutApply, rolloutPlan } from "./rollout/operations/rollout-plan.ts";
export { rolloutRollbackPlan, rolloutRollback } from "./rollout/operations/rollback.ts";
export { repositoryCheck, type RepositoryCheckResponse } from "./setup/operations/repository-check.ts";
export {
  schemaShow,
  deploymentsCheck,
  type DeploymentsCheck,
  type DeploymentsCheckResponse,
  deploymentsValidate,
  deploymentsDiff,
} from "./deployments/operations/deployments.ts";
export { type DocumentEditResponse } from "./deployments/edit-file.ts";
export { startupCheck, type StartupCheckResponse } from "./startup/operations/startup-check.ts";
export { statusShow, type StatusResponse } from "./setup/operations/status-show.ts";
export { tokenCreate, type CreatedToken } from "./setup/operations/token-create.ts";
