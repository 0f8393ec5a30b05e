import type { HasHost } from "../../files/port-host.ts";
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
  async run(ports: Repository & HasHost, { format, all, app, ...request }): Promise<EnvExportResponse> {
    const contract = await ports.facts.runtimeContract();
    const { environment, fileName, layers } = await readEnvFile(ports, contract, request);
    const appVariables = app === undefined ? {} : await readAppEnvironment(ports, request, app);
    const values = new Map([...effectiveValues(layers), ...Object.entries(appVariables)]);
    const exported = all ? { values: Object.fromEntries(values), withheld: [] } : exportedValues(contract, values);
    const issues = exportIssues(exported.values, format);
    if (issues.length > 0) throw refusal("INVALID_PAYLOAD", issues);
    return { environment, fileName, ...exported, text: exportText(exported.values, format) };
  },
});
