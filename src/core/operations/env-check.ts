import type { EnvCheckResponse } from "../api/bodies.ts";
import { checkEnvFiles } from "../env/check.ts";
import { defineOperation } from "../operation.ts";
import { readEnvFile } from "../env/env-file.ts";

/** Never returns secrets. */
export const envCheck = defineOperation({
  id: "env.check",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, request): Promise<EnvCheckResponse> {
    const contract = await ports.facts.runtimeContract();
    const file = await readEnvFile(ports, contract, request);
    const issues = checkEnvFiles(contract, file.layers);
    return { environment: file.environment, fileName: file.fileName, issues };
  },
});
