import { defineOperation } from "../operation.ts";
import { withMachineEnvironment } from "../rollout/machine-environment.ts";
import { applyPlan, type Applied } from "../rollout/apply/apply.ts";

/** Runs the steps of the plan in order. @throws {SvcmError} as `applied` */
export const rolloutApply = defineOperation({
  id: "rollout.apply",
  access: "write",
  refusal: "INVALID_REQUEST",
  run: async (ports, input, caller): Promise<Applied> =>
    applyPlan(ports, await withMachineEnvironment(ports, input, caller), caller),
});
