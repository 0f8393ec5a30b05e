import type { LogUsageResponse } from "../../api/log-care.ts";
import type { HasFacts } from "../../project/port-repository.ts";
import { defineOperation } from "../../access/operation.ts";
import type { HasLogCare } from "../care/port-log-care.ts";
import { usageOf } from "../care/usage.ts";

/** Sizes, growth and rotation of PM2's logs. Reads no line of them. */
export const logsUsage = defineOperation({
  id: "logs.usage",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ logCare, facts }: HasLogCare & HasFacts): Promise<LogUsageResponse> {
    const [survey, project] = await Promise.all([logCare.look(), facts.project()]);
    return usageOf(survey, project?.logs);
  },
});
