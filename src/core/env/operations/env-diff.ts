import type { HasFiles } from "../../files/port-files.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { EnvDiffResponse } from "../../api/bodies.ts";
import { diffEnv } from "../diff.ts";
import { defineOperation } from "../../access/operation.ts";
import { effectiveValues, readEnvFile } from "../env-file.ts";

/** Compares secrets, but never returns them. */
export const envDiff = defineOperation({
  id: "env.diff",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasFacts & HasFiles & HasWorkspace, input): Promise<EnvDiffResponse> {
    const contract = await ports.facts.runtimeContract();
    const [from, to] = await Promise.all([
      readEnvFile(ports, contract, { environment: input.from, service: input.service }),
      readEnvFile(ports, contract, { environment: input.to, service: input.service }),
    ]);
    const entries = diffEnv(contract, effectiveValues(from.layers), effectiveValues(to.layers));
    return { from: from.environment, to: to.environment, entries };
  },
});
