import type { HasFiles } from "../../files/port-files.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { EnvCheckResponse } from "../../api/bodies.ts";
import { checkEnvFiles } from "../check.ts";
import { defineOperation } from "../../access/operation.ts";
import { readEnvFile } from "../env-file.ts";

/** Never returns secrets. */
export const envCheck = defineOperation({
  id: "env.check",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasFacts & HasFiles & HasWorkspace, request): Promise<EnvCheckResponse> {
    const contract = await ports.facts.runtimeContract();
    const file = await readEnvFile(ports, contract, request);
    const issues = checkEnvFiles(contract, file.layers);
    return { environment: file.environment, fileName: file.fileName, issues };
  },
});
