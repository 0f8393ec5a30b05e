/** What svcm can do: one verb, one file. */
export { auditList } from "./audit-list.ts";
export { codeExplain } from "./code-explain.ts";
export { contractShow } from "./contract-show.ts";
export type { ContractResponse } from "./contract-show.ts";
export { envCheck } from "./env-check.ts";
export { envDiff } from "./env-diff.ts";
export type { EnvDiffResponse } from "./env-diff.ts";
export { envRead } from "./env-read.ts";
export type { EnvRead } from "./env-read.ts";
export { entityTag, envPlan, envWrite } from "./env-write.ts";
export type { EnvPlanResponse, EnvWriteResponse } from "./env-write.ts";
export { profileApply, profileList, profileShow } from "./profiles.ts";
export { schemaShow } from "./schema-show.ts";
export { suiteCheck, suiteValidate } from "./suite-check.ts";
export type { SuiteCheck, SuiteCheckResponse } from "./suite-check.ts";
export { suiteDiff } from "./suite-diff.ts";
export { startupCheck } from "./startup-check.ts";
export type { StartupCheckResponse } from "./startup-check.ts";
