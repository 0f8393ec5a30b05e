import type { ApplyPorts } from "../apply/ports.ts";
import { defineOperation } from "../../access/operation.ts";
import { withMachineEnvironment } from "../machine-environment.ts";
import { applyPlan, type Applied } from "../apply/apply.ts";

/** Runs the steps of the plan in order. @throws {SvcmError} as `applied` */
export const rolloutApply = defineOperation({
  id: "rollout.apply",
  access: "write",
  refusal: "INVALID_REQUEST",
  run: async (ports: ApplyPorts, input, caller): Promise<Applied> =>
    applyPlan(ports, await withMachineEnvironment(ports, input, caller), caller),
});
