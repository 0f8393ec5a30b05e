import type { EnvDiffResponse } from "../api/bodies.ts";
import { diffEnv } from "../env/diff.ts";
import { parseEnvDocument } from "../env/document.ts";
import { defineOperation } from "../operation.ts";
import { readEnvFile } from "../env/env-file.ts";

/** Two environments key by key. Secrets are compared, never shown. */
export const envDiff = defineOperation({
  id: "env.diff",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, input): Promise<EnvDiffResponse> {
    const contract = await ports.facts.runtimeContract();
    const [from, to] = await Promise.all([
      readEnvFile(ports, contract, input.from),
      readEnvFile(ports, contract, input.to),
    ]);
    const entries = diffEnv(contract, parseEnvDocument(from.text), parseEnvDocument(to.text));
    return { from: from.environment, to: to.environment, entries };
  },
});
