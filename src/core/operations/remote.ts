/** The operations that another machine may request. */
import type { Operation } from "../operation.ts";
import { auditList } from "./audit-list.ts";
import { contractShow } from "./contract-show.ts";
import { ecosystemCheck } from "./ecosystem-check.ts";
import { ecosystemDrift } from "./ecosystem-drift.ts";
import { ecosystemShow } from "./ecosystem-show.ts";
import { envCheck } from "./env-check.ts";
import { envDiff } from "./env-diff.ts";
import { envRead } from "./env-read.ts";
import { envWrite } from "./env-write.ts";
import { eventWhy } from "./event-why.ts";
import { eventsList } from "./events-list.ts";
import { historyShow } from "./history-show.ts";
import { identityShow } from "./identity-show.ts";
import { keysList } from "./keys-list.ts";
import { logsRead } from "./logs-read.ts";
import { metricsExpose } from "./metrics-expose.ts";
import { metricsShow } from "./metrics-show.ts";
import { nodeShow } from "./node-show.ts";
import { processAct } from "./process-act.ts";
import { processList } from "./process-list.ts";
import { processScale } from "./process-scale.ts";
import { processShow } from "./process-show.ts";
import { processWait } from "./process-wait.ts";
import { profileList } from "./profile-list.ts";
import { profileShow } from "./profile-show.ts";
import { releaseList } from "./release-list.ts";
import { releaseShow } from "./release-show.ts";
import { rolloutApply } from "./rollout-apply.ts";
import { rolloutPlan } from "./rollout-plan.ts";
import { rolloutRollbackPlan } from "./rollout-rollback-plan.ts";
import { rolloutRollback } from "./rollout-rollback.ts";
import { startupCheck } from "./startup-check.ts";

/**
 * Every operation that another machine may request. Operations that return secrets, edit a developer's files or manage
 * tokens are not included.
 */
export const remoteOperations: readonly Operation<never, unknown>[] = [
  auditList,
  contractShow,
  ecosystemCheck,
  ecosystemDrift,
  ecosystemShow,
  envCheck,
  envDiff,
  envRead,
  envWrite,
  eventsList,
  eventWhy,
  historyShow,
  identityShow,
  keysList,
  logsRead,
  metricsExpose,
  metricsShow,
  nodeShow,
  processAct,
  processList,
  processScale,
  processShow,
  processWait,
  profileList,
  profileShow,
  releaseList,
  releaseShow,
  rolloutApply,
  rolloutPlan,
  rolloutRollback,
  rolloutRollbackPlan,
  startupCheck,
];
