import {
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
  type Operation,
} from "../core/index.ts";

/**
 * Every operation that another machine may ask for. Left out are those that give secrets, edit the files of a developer or
 * manage tokens.
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

/** Of an env file, only the visible part leaves the machine: never the bytes. */
export function sentOf(output: unknown): unknown {
  return isEnvRead(output) ? { response: output.response } : output;
}

function isEnvRead(output: unknown): output is { readonly response: unknown } {
  return typeof output === "object" && output !== null && "bytes" in output && "response" in output;
}
