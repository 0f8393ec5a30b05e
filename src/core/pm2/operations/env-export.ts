import type { Caller } from "../../access/caller.ts";
import type { Audited } from "../../access/ports.ts";
import { withAudit } from "../../access/with-audit.ts";
import type { Repository } from "../ports.ts";
import { effectiveValues, readEnvFile } from "../../env/env-file.ts";
import { exportedValues, exportIssues, exportText, type Exported } from "../../env/export.ts";
import { refusal } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";
import { readAppEnvironment } from "../app-environment.ts";

export interface EnvExportResponse extends Exported {
  readonly environment: string;
  readonly fileName: string;
  readonly text: string;
}

export const envExport = defineOperation({
  id: "env.export",
  access: "write",
  refusal: "INVALID_REQUEST",
  async run(ports: Repository & Audited, { format, all, app, ...request }, caller): Promise<EnvExportResponse> {
    const contract = await ports.facts.runtimeContract();
    const { environment, fileName, layers } = await readEnvFile(ports, contract, request);
    const appVariables = app === undefined ? {} : await readAppEnvironment(ports, request, app);
    const values = new Map([...effectiveValues(layers), ...Object.entries(appVariables)]);
    const exported = all ? { values: Object.fromEntries(values), withheld: [] } : exportedValues(contract, values);
    const issues = exportIssues(exported.values, format);
    if (issues.length > 0) throw refusal("INVALID_PAYLOAD", issues);
    if (all) await recordSecrets(ports, caller, environment, Object.keys(exported.values));
    return { environment, fileName, ...exported, text: exportText(exported.values, format) };
  },
});

/** Secrets leave svcm only after a record of it. @throws {SvcmError} AUDIT_FAILED */
async function recordSecrets(ports: Audited, caller: Caller, environment: string, keys: string[]): Promise<void> {
  await withAudit(
    ports,
    caller,
    () => ({ action: "env.export", environment, keys }),
    (begin) => begin(),
  );
}
