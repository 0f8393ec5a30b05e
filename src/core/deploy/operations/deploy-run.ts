import type { DeployResult } from "../../api/deploy.ts";
import { defineOperation } from "../../access/operation.ts";
import { deploy } from "../deploy.ts";
import type { DeployPorts } from "../deploy-context.ts";

/** Deploys a commit. @throws {SvcmError} as `deploy` */
export const deployRun = defineOperation({
  id: "deploy.run",
  access: "write",
  refusal: "INVALID_REQUEST",
  run: (ports: DeployPorts, input, caller): Promise<DeployResult> => deploy(ports, input, caller),
});
