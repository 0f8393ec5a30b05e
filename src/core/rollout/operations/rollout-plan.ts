import type { ApplyPorts } from "../apply/ports.ts";
import type { Plan } from "../../api/rollout.ts";
import { defineOperation } from "../../access/operation.ts";
import { withMachineEnvironment } from "../machine-environment.ts";
import { computePlan } from "../planning.ts";

export const rolloutPlan = defineOperation({
  id: "rollout.plan",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: ApplyPorts, input, caller): Promise<Plan> {
    return (await computePlan(ports, await withMachineEnvironment(ports, input, caller))).plan;
  },
});
