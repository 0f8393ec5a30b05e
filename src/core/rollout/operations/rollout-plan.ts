import type { ApplyPorts } from "../ports.ts";
import type { Plan } from "../../api/rollout.ts";
import { defineOperation } from "../../access/operation.ts";
import { withMachineEnvironment } from "../machine-environment.ts";
import { type HasBootOutlook, withDeployed } from "../port-deployed.ts";
import { computePlan } from "../planning.ts";
import { applyPlan, type Applied } from "../apply/apply.ts";

export const rolloutPlan = defineOperation({
  id: "rollout.plan",
  access: "read",
  async run(ports: ApplyPorts & HasBootOutlook, input, caller): Promise<Plan> {
    const request = await withMachineEnvironment(ports, input, caller);
    // A comparison of revisions is about the checkout.
    if (request.from !== undefined) return (await computePlan(ports, request)).plan;
    const { plan } = await computePlan(await withDeployed(ports, request), request);
    // An apply with steps saves the list.
    const reboot = plan.changed || !plan.exists ? [] : await ports.bootOutlook.apps();
    return { ...plan, issues: [...(await ports.deployed.interrupted(request)), ...plan.issues, ...reboot] };
  },
});

/** Runs the steps of the plan in order. @throws {SvcmError} as `applied` */
export const rolloutApply = defineOperation({
  id: "rollout.apply",
  access: "write",
  async run(ports: ApplyPorts, input, caller): Promise<Applied> {
    const request = await withMachineEnvironment(ports, input, caller);
    return await applyPlan(await withDeployed(ports, request), request, caller);
  },
});
