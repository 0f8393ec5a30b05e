import type { DeployPlan, DeployResult } from "../../api/deploy.ts";
import { defineOperation } from "../../access/operation.ts";
import { planDeploy, deploy } from "../deploy.ts";
import type { DeployPorts } from "../deploy-context.ts";

/** Prepares a release, and computes the plan of its apply. It runs code of the commit, so it needs the right to write. */
export const deployPlan = defineOperation({
  id: "deploy.plan",
  access: "write",
  run: (ports: DeployPorts, input, caller): Promise<DeployPlan> => planDeploy(ports, input, caller),
});

/** Deploys a commit. @throws {SvcmError} as `deploy` */
export const deployRun = defineOperation({
  id: "deploy.run",
  access: "write",
  run: (ports: DeployPorts, input, caller): Promise<DeployResult> => deploy(ports, input, caller),
});
