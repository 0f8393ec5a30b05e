import { defineOperation } from "../operation.ts";
import { applyPlan, type Applied } from "../rollout/apply/apply.ts";

/** Runs the steps of the plan in order. @throws {SvcmError} as `applied` */
export const rolloutApply = defineOperation({
  id: "rollout.apply",
  access: "write",
  refusal: "INVALID_REQUEST",
  run: (ports, input, caller): Promise<Applied> => applyPlan(ports, input, caller),
});
