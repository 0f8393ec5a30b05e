import type { ApplyPorts } from "../apply/ports.ts";
import type { RollbackPlan } from "../../api/rollout.ts";
import { defineOperation } from "../../access/operation.ts";
import { planRollback } from "../apply/rollback-plan.ts";

/** Computes the effect of a rollback. @throws {SvcmError} as `rollbackPlanned` */
export const rolloutRollbackPlan = defineOperation({
  id: "rollout.rollback-plan",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: ApplyPorts, input): Promise<RollbackPlan> {
    return (await planRollback(ports, input)).plan;
  },
});
