export { alertsTest } from "./alerts-test.ts";
export { auditList } from "./audit-list.ts";
export { codeExplain } from "./code-explain.ts";
export { completionList } from "./completion-list.ts";
export type { Completable } from "./completion-list.ts";
export { contractShow } from "./contract-show.ts";
export { declarationsPlan } from "./declarations-plan.ts";
export { declarationsRead } from "./declarations-read.ts";
export { declarationsWrite } from "./declarations-write.ts";
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
} from "./document-edits.ts";
export { ecosystemCheck } from "./ecosystem-check.ts";
export { ecosystemDrift } from "./ecosystem-drift.ts";
export type { EcosystemDrift } from "./ecosystem-drift.ts";
export { ecosystemShow } from "./ecosystem-show.ts";
export { envCheck } from "./env-check.ts";
export { envDiff } from "./env-diff.ts";
export { envRewrite, envSource } from "./env-edit.ts";
export { envExport } from "./env-export.ts";
export { envProcess } from "./env-process.ts";
export { envRead } from "./env-read.ts";
export type { TaggedResponse } from "./env-read.ts";
export { envTemplate } from "./env-template.ts";
export { envUnset } from "./env-unset.ts";
export type { EnvUnsetResponse } from "./env-unset.ts";
export { envPlan, envWrite } from "./env-write.ts";
export type { EnvPlanResponse } from "./env-write.ts";
export { eventWhy } from "./event-why.ts";
export { eventsList } from "./events-list.ts";
export { identityShow } from "./identity-show.ts";
export { historyRecord } from "./history-record.ts";
export { historyShow } from "./history-show.ts";
export { keysConfirm } from "./keys-confirm.ts";
export { keysList } from "./keys-list.ts";
export { keysSetTier } from "./keys-set-tier.ts";
export type { KeysEditResponse } from "../project/edit-keys.ts";
export type { ListedKey } from "../project/keys.ts";
export { logsRead } from "./logs-read.ts";
export { metricsExpose } from "./metrics-expose.ts";
export { metricsShow } from "./metrics-show.ts";
export { nodeShow } from "./node-show.ts";
export { processAct } from "./process-act.ts";
export type { ProcessActionResult } from "./process-act.ts";
export { createActionSubject as attemptedAction } from "../pm2/control/action-subject.ts";
export { processList } from "./process-list.ts";
export type { ListedProcess, ProcessListResponse } from "./process-list.ts";
export { processRun } from "./process-run.ts";
export type { ProcessRunResult } from "./process-run.ts";
export { processScale } from "./process-scale.ts";
export type { ProcessScaleResult } from "./process-scale.ts";
export { processShow } from "./process-show.ts";
export { processWait } from "./process-wait.ts";
export type { ProcessWaitResponse } from "./process-wait.ts";
export { profileApply } from "./profile-apply.ts";
export { profileList } from "./profile-list.ts";
export { profileShow } from "./profile-show.ts";
export { projectDoctor } from "./project-doctor.ts";
export type { DoctorAnswer, DoctorResponse } from "./project-doctor.ts";
export { projectInit } from "./project-init.ts";
export type { InitResponse } from "./project-init.ts";
export { releaseList } from "./release-list.ts";
export { releaseShow } from "./release-show.ts";
export { rolloutApply } from "./rollout-apply.ts";
export { rolloutRollbackPlan } from "./rollout-rollback-plan.ts";
export { rolloutRollback } from "./rollout-rollback.ts";
export { rolloutPlan } from "./rollout-plan.ts";
export { schemaShow } from "./schema-show.ts";
export { deploymentsCheck } from "./deployments-check.ts";
export { deploymentsValidate } from "./deployments-validate.ts";
export type { DeploymentsCheck, DeploymentsCheckResponse } from "./deployments-check.ts";
export { deploymentsDiff } from "./deployments-diff.ts";
export type { DocumentEditResponse } from "../deployments/edit-file.ts";
export { entryQuestion, type EntryQuestion } from "./entry-question.ts";
export { startupCheck } from "./startup-check.ts";
export type { StartupCheckResponse } from "./startup-check.ts";
export { tokenCreate } from "./token-create.ts";
export type { CreatedToken } from "./token-create.ts";
export { tokenList } from "./token-list.ts";
export type { ListedToken } from "./token-list.ts";
export { tokenRevoke } from "./token-revoke.ts";
