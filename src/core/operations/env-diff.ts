import type { EnvDiffResponse } from "../api/bodies.ts";
import { diffEnv } from "../env/diff.ts";
import { defineOperation } from "../operation.ts";
import { effectiveValues, readEnvFile } from "../env/env-file.ts";

/** Compares secrets, but never returns them. */
export const envDiff = defineOperation({
  id: "env.diff",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, input): Promise<EnvDiffResponse> {
    const contract = await ports.facts.runtimeContract();
    const [from, to] = await Promise.all([
      readEnvFile(ports, contract, { environment: input.from, service: input.service }),
      readEnvFile(ports, contract, { environment: input.to, service: input.service }),
    ]);
    const entries = diffEnv(contract, effectiveValues(from.layers), effectiveValues(to.layers));
    return { from: from.environment, to: to.environment, entries };
  },
});
