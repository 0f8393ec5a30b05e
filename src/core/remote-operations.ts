import type { Operation } from "./access/operation.ts";
import * as all from "./operations.ts";

/**
 * Every operation that another machine may request. Operations that return secrets, edit a developer's files or manage
 * tokens are not included.
 */
export const remoteOperations: readonly Operation<never, unknown>[] = [
  all.auditList,
  all.bootShow,
  all.contractShow,
  all.daemonShow,
  all.deployPlan,
  all.deployRun,
  all.ecosystemCheck,
  all.ecosystemDrift,
  all.ecosystemShow,
  all.envApp,
  all.envCheck,
  all.envDiff,
  all.envRead,
  all.envWrite,
  all.eventsList,
  all.eventWhy,
  all.historyShow,
  all.identityShow,
  all.keysList,
  all.logsRead,
  all.metricsExpose,
  all.metricsShow,
  all.nodeShow,
  all.processAct,
  all.processList,
  all.processScale,
  all.processShow,
  all.processWait,
  all.profileList,
  all.profileShow,
  all.releaseList,
  all.releaseShow,
  all.rolloutApply,
  all.rolloutPlan,
  all.rolloutRollback,
  all.rolloutRollbackPlan,
  all.startupCheck,
];
