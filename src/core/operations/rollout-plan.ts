import type { Plan } from "../api/rollout.ts";
import { defineOperation } from "../operation.ts";
import { computePlan } from "../rollout/planning.ts";

export const rolloutPlan = defineOperation({
  id: "rollout.plan",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, input): Promise<Plan> {
    return (await computePlan(ports, input)).plan;
  },
});
