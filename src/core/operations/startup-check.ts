import type { Issue } from "../contract/issue.ts";
import { parseEnvDocument, valuesOf } from "../env/document.ts";
import { defineOperation } from "../operation.ts";
import { decideStartup, type Entrypoint, type StartupPlan } from "../startup/contract.ts";
import { readEnvFile } from "./env-file.ts";

export interface StartupCheckResponse {
  readonly environment: string;
  readonly fileName: string;
  readonly entrypoint: Entrypoint;
  readonly mayStart: boolean;
  /** Absent where it may not start. A Redis URL prints as `[REDACTED]`. */
  readonly plan?: StartupPlan;
  readonly issues: readonly Issue[];
}

/** May this entrypoint start under the environment's file, and with what? */
export const startupCheck = defineOperation({
  id: "startup.check",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, { environment, entrypoint }): Promise<StartupCheckResponse> {
    const contract = await ports.facts.runtimeContract();
    const file = await readEnvFile(ports, contract, environment);
    const values = Object.fromEntries(valuesOf(parseEnvDocument(file.text)));
    const decision = decideStartup(contract, entrypoint, values, { cpuCores: ports.host.cpuCores() });
    return { environment: file.environment, fileName: file.fileName, entrypoint, ...decision };
  },
});
