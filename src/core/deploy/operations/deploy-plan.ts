import type { DeployPlan } from "../../api/deploy.ts";
import { defineOperation } from "../../access/operation.ts";
import { planDeploy } from "../deploy.ts";
import type { DeployPorts } from "../deploy-context.ts";

/** Prepares a release, and computes the plan of its apply. It runs code of the commit, so it needs the right to write. */
export const deployPlan = defineOperation({
  id: "deploy.plan",
  access: "write",
  refusal: "INVALID_REQUEST",
  run: (ports: DeployPorts, input, caller): Promise<DeployPlan> => planDeploy(ports, input, caller),
});
