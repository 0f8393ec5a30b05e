import type { ApplyPorts } from "../apply/ports.ts";
import type { Release, RollbackPlan } from "../../api/rollout.ts";
import { defineOperation } from "../../access/operation.ts";
import { rollBack } from "../apply/rollback.ts";
import { planRollback } from "../apply/rollback-plan.ts";

/** Undoes a release. @throws {SvcmError} as `rolledBack` */
export const rolloutRollback = defineOperation({
  id: "rollout.rollback",
  access: "write",
  run: (ports: ApplyPorts, input, caller): Promise<Release> => rollBack(ports, input, caller),
});

/** Computes the effect of a rollback. @throws {SvcmError} as `rollbackPlanned` */
export const rolloutRollbackPlan = defineOperation({
  id: "rollout.rollback-plan",
  access: "read",
  async run(ports: ApplyPorts, input): Promise<RollbackPlan> {
    return (await planRollback(ports, input)).plan;
  },
});
