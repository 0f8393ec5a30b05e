export { alertsTest } from "./alerts/operations/alerts-test.ts";
export { auditList } from "./access/operations/audit-list.ts";
export { bootDisable } from "./boot/operations/boot-disable.ts";
export type { BootDisableResponse } from "./boot/operations/boot-disable.ts";
export { bootDrain } from "./boot/operations/boot-drain.ts";
export { bootEnable } from "./boot/operations/boot-enable.ts";
export type { BootEnableResponse } from "./boot/operations/boot-enable.ts";
export { bootRestore } from "./boot/operations/boot-restore.ts";
export type { BootRestoreResponse } from "./boot/operations/boot-restore.ts";
export { bootSave } from "./boot/operations/boot-save.ts";
export { bootShow } from "./boot/operations/boot-show.ts";
export { codeExplain } from "./setup/operations/code-explain.ts";
export { completionList } from "./setup/operations/completion-list.ts";
export type { Completable } from "./setup/operations/completion-list.ts";
export { contractShow } from "./env/operations/contract-show.ts";
export { daemonShow } from "./boot/operations/daemon-show.ts";
export { declarationsPlan } from "./deployments/operations/declarations-plan.ts";
export { declarationsRead } from "./deployments/operations/declarations-read.ts";
export { declarationsWrite } from "./deployments/operations/declarations-write.ts";
export {
  configurationSet,
  deploymentsMigrate,
  interfaceAdd,
  interfaceEdit,
  interfaceRemove,
  targetAdd,
  targetDuplicate,
  targetEdit,
  targetRemove,
} from "./deployments/operations/document-edits.ts";
export { deployPlan } from "./deploy/operations/deploy-plan.ts";
export { deployRun } from "./deploy/operations/deploy-run.ts";
export { ecosystemCheck } from "./pm2/operations/ecosystem-check.ts";
export { ecosystemDrift } from "./metrics/operations/ecosystem-drift.ts";
export type { EcosystemDrift } from "./metrics/operations/ecosystem-drift.ts";
export { ecosystemShow } from "./pm2/operations/ecosystem-show.ts";
export { envApp, type EnvAppResponse } from "./rollout/operations/env-app.ts";
export { envCheck } from "./env/operations/env-check.ts";
export { envDiff } from "./env/operations/env-diff.ts";
export { envRewrite, envSource } from "./env/operations/env-edit.ts";
export { envExport } from "./pm2/operations/env-export.ts";
export { envProcess } from "./pm2/operations/env-process.ts";
export { envRead } from "./env/operations/env-read.ts";
export type { TaggedResponse } from "./env/operations/env-read.ts";
export { envTemplate } from "./env/operations/env-template.ts";
export { envUnset } from "./env/operations/env-unset.ts";
export type { EnvUnsetResponse } from "./env/operations/env-unset.ts";
export { envPlan, envWrite } from "./env/operations/env-write.ts";
export type { EnvPlanResponse } from "./env/operations/env-write.ts";
export { eventWhy } from "./events/operations/event-why.ts";
export { eventsList } from "./events/operations/events-list.ts";
export { identityShow } from "./access/operations/identity-show.ts";
export { historyRecord } from "./history/operations/history-record.ts";
export { historyShow } from "./history/operations/history-show.ts";
export { keysConfirm } from "./setup/operations/keys-confirm.ts";
export { keysList } from "./setup/operations/keys-list.ts";
export { keysSetTier } from "./setup/operations/keys-set-tier.ts";
export type { KeysEditResponse } from "./setup/edit-keys.ts";
export type { ListedKey } from "./project/keys.ts";
export { logsPrune } from "./logs/operations/logs-prune.ts";
export { logsRead } from "./logs/operations/logs-read.ts";
export { logsRotate } from "./logs/operations/logs-rotate.ts";
export { logsUsage } from "./logs/operations/logs-usage.ts";
export { metricsExpose } from "./metrics/operations/metrics-expose.ts";
export { metricsShow } from "./metrics/operations/metrics-show.ts";
export { nodeShow } from "./metrics/operations/node-show.ts";
export { processAct } from "./rollout/operations/process-act.ts";
export type { ProcessActionResult } from "./rollout/operations/process-act.ts";
export { createActionSubject as attemptedAction } from "./rollout/control/action-subject.ts";
export { processList } from "./metrics/operations/process-list.ts";
export type { ListedProcess, ProcessListResponse } from "./metrics/operations/process-list.ts";
export { processRun } from "./rollout/operations/process-run.ts";
export type { ProcessRunResult } from "./rollout/operations/process-run.ts";
export { processScale } from "./rollout/operations/process-scale.ts";
export type { ProcessScaleResult } from "./rollout/operations/process-scale.ts";
export { processShow } from "./events/operations/process-show.ts";
export { processWait } from "./rollout/operations/process-wait.ts";
export type { ProcessWaitResponse } from "./rollout/operations/process-wait.ts";
export { profileApply } from "./env/operations/profile-apply.ts";
export { profileList } from "./env/operations/profile-list.ts";
export { profileShow } from "./env/operations/profile-show.ts";
export { projectDoctor } from "./setup/operations/project-doctor.ts";
export type { DoctorAnswer, DoctorResponse } from "./setup/operations/project-doctor.ts";
export { projectInit } from "./setup/operations/project-init.ts";
export type { InitResponse } from "./setup/operations/project-init.ts";
export { releaseList } from "./rollout/operations/release-list.ts";
export { releaseShow } from "./rollout/operations/release-show.ts";
export { rolloutApply } from "./rollout/operations/rollout-apply.ts";
export { rolloutRollbackPlan } from "./rollout/operations/rollout-rollback-plan.ts";
export { rolloutRollback } from "./rollout/operations/rollout-rollback.ts";
export { rolloutPlan } from "./rollout/operations/rollout-plan.ts";
export { repositoryCheck } from "./setup/operations/repository-check.ts";
export type { RepositoryCheckResponse } from "./setup/operations/repository-check.ts";
export { schemaShow } from "./deployments/operations/schema-show.ts";
export { deploymentsCheck } from "./deployments/operations/deployments-check.ts";
export { deploymentsValidate } from "./deployments/operations/deployments-validate.ts";
export type { DeploymentsCheck, DeploymentsCheckResponse } from "./deployments/operations/deployments-check.ts";
export { deploymentsDiff } from "./deployments/operations/deployments-diff.ts";
export type { DocumentEditResponse } from "./deployments/edit-file.ts";
export { entryQuestion, type EntryQuestion } from "./deployments/operations/entry-question.ts";
export { startupCheck } from "./startup/operations/startup-check.ts";
export type { StartupCheckResponse } from "./startup/operations/startup-check.ts";
export { statusShow } from "./setup/operations/status-show.ts";
export type { StatusResponse } from "./setup/operations/status-show.ts";
export { tokenCreate } from "./setup/operations/token-create.ts";
export type { CreatedToken } from "./setup/operations/token-create.ts";
export { tokenList } from "./access/operations/token-list.ts";
export type { ListedToken } from "./access/operations/token-list.ts";
export { tokenRevoke } from "./access/operations/token-revoke.ts";
