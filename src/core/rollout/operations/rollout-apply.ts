import type { ApplyPorts } from "../apply/ports.ts";
import { defineOperation } from "../../access/operation.ts";
import { withMachineEnvironment } from "../machine-environment.ts";
import { withDeployed } from "../port-deployed.ts";
import { applyPlan, type Applied } from "../apply/apply.ts";

/** Runs the steps of the plan in order. @throws {SvcmError} as `applied` */
export const rolloutApply = defineOperation({
  id: "rollout.apply",
  access: "write",
  async run(ports: ApplyPorts, input, caller): Promise<Applied> {
    const request = await withMachineEnvironment(ports, input, caller);
    return await applyPlan(await withDeployed(ports, request), request, caller);
  },
});
