import type { Plan } from "../api/rollout.ts";
import { defineOperation } from "../operation.ts";
import { withMachineEnvironment } from "../rollout/machine-environment.ts";
import { computePlan } from "../rollout/planning.ts";

export const rolloutPlan = defineOperation({
  id: "rollout.plan",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, input, caller): Promise<Plan> {
    return (await computePlan(ports, await withMachineEnvironment(ports, input, caller))).plan;
  },
});
