import { type HasHost, FileError, type HasFiles } from "../../files/ports.ts";
import type { Repository } from "../../pm2/ports.ts";
import type { HasWorkspace } from "../../project/port-repository.ts";
import type { Issue } from "../../api/issue.ts";
import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";

import { type CarriedDrivers, DRIVERS_FILE, type Entrypoint, type StartupPlan, parseDriversFile } from "../read.ts";
import { decideStartup } from "../contract.ts";
import { readAppEnvironment } from "../../pm2/operations/ecosystem.ts";
import { effectiveValues, readEnvFile } from "../../env/env-file.ts";
import { decodeUtf8 } from "../../words/utf8.ts";

export interface StartupCheckResponse {
  readonly environment: string;
  readonly fileName: string;
  readonly entrypoint: Entrypoint;
  readonly app?: string | undefined;
  readonly mayStart: boolean;
  /** Absent if the entrypoint may not start. A Redis URL prints as `[REDACTED]`. */
  readonly plan?: StartupPlan;
  readonly issues: readonly Issue[];
}

/** With `app`, the `env` of that app in the ecosystem file overrides the env file. */
export const startupCheck = defineOperation({
  id: "startup.check",
  access: "read",
  isForMachine: true,
  async run(ports: Repository & HasHost, { entrypoint, app, ...request }): Promise<StartupCheckResponse> {
    const contract = await ports.facts.runtimeContract();
    const file = await readEnvFile(ports, contract, request);
    const values = {
      ...Object.fromEntries(effectiveValues(file.layers)),
      ...(app !== undefined && (await readAppEnvironment(ports, request, app))),
    };
    const drivers = await readCarriedDrivers(ports);
    const facts = { cpuCores: ports.host.cpuCores(), ...(drivers && { drivers }) };
    const decision = decideStartup(contract, entrypoint, values, facts);
    requireStartupKeys(decision.issues);
    const { environment, fileName } = file;
    return { environment, fileName, entrypoint, app, ...decision };
  },
});

/** Without the startup keys, the check does not apply. So the operation is refused instead of answering "no". */
function requireStartupKeys(issues: readonly Issue[]): void {
  const undeclared = issues.find(({ code }) => code === "STARTUP_KEYS_UNDECLARED");
  if (!undeclared) return;
  throw new SvcmError("INVALID_REQUEST", {
    code: "STARTUP_KEYS_UNDECLARED",
    details: `This repository has its own runtime contract, and ${undeclared.message}.`,
    issues,
    hint: "Declare them in config/runtime-contract.yaml, or do not run the startup check.",
  });
}

/** `undefined` if the backend does not declare drivers. @throws {SvcmError} FACT_INVALID */
async function readCarriedDrivers(ports: HasFiles & HasWorkspace): Promise<CarriedDrivers | undefined> {
  const path = `${ports.workspace.configDir}/${DRIVERS_FILE}`;
  const bytes = await ports.files.read(path).catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error;
    if (error.code === "ENOENT") return undefined;
    throw new SvcmError("FACT_INVALID", { code: error.code, path, details: error.message });
  });
  if (!bytes) return undefined;
  const text = decodeUtf8(bytes) ?? "";
  const { readSource } = await import("../../yaml/read.ts");
  const source = readSource(text, DRIVERS_FILE);
  const read = source.issues.length > 0 ? source.issues : parseDriversFile(source.value);
  if (!isIssues(read)) return read;
  const issues = read.map((one) => ({ ...one, at: one.at ?? source.at(one.path, "key") }));
  const details = issues.map(({ at, message }) => `${at.file}:${at.line}:${at.column}: ${message}`).join("; ");
  throw new SvcmError("FACT_INVALID", { path, details, issues, source: text });
}

function isIssues(read: CarriedDrivers | readonly Issue[]): read is readonly Issue[] {
  return Array.isArray(read);
}
