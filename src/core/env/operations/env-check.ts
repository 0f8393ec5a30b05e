import type { HasFiles } from "../../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { RuntimeContract } from "../../api/facts.ts";
import type { EnvCheckResponse } from "../../api/bodies.ts";
import { checkEnvFiles } from "../check.ts";
import { defineOperation } from "../../access/operation.ts";
import { readEnvFile, readNamedEnvFile } from "../env-file.ts";

/** Never returns secrets. */
export const envCheck = defineOperation({
  id: "env.check",
  access: "read",
  refusal: "INVALID_REQUEST",
  isForMachine: true,
  async run(ports: HasFacts & HasFiles & HasWorkspace, request): Promise<EnvCheckResponse> {
    const contract = await ports.facts.runtimeContract();
    const { file: named, ...place } = request;
    if (named !== undefined) return checkNamedFile(ports, contract, named, place.environment);
    const file = await readEnvFile(ports, contract, place);
    const issues = checkEnvFiles(contract, file.layers);
    return { environment: file.environment, fileName: file.fileName, issues };
  },
});

/** A file that no environment declares, such as a template. The keys do not depend on the environment. */
async function checkNamedFile(
  ports: HasFiles & HasWorkspace,
  contract: RuntimeContract,
  file: string,
  environment = contract.defaultEnvironment,
): Promise<EnvCheckResponse> {
  const { text, fileName } = await readNamedEnvFile(ports, file);
  return { environment, fileName, issues: checkEnvFiles(contract, [{ text, fileName }]) };
}
