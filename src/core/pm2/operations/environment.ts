import { type Caller, defineOperation } from "../../access/operation.ts";
import type { Audited } from "../../access/ports.ts";
import { withAudit } from "../../access/with-audit.ts";
import type { Repository } from "../ports.ts";
import { effectiveValues, readEnvFile, type EnvLayer } from "../../env/env-file.ts";
import { exportedValues, exportIssues, exportText, type Exported } from "../../env/export.ts";
import { refusal, SvcmError } from "../../api/errors.ts";
import type { HasHost, HasFiles } from "../../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { RuntimeContract } from "../../api/facts.ts";
import type { EnvironmentRequest } from "../../project/resolve.ts";
import type { HasEcosystems } from "../port-ecosystems.ts";
import { didYouMean } from "../../words/suggest.ts";
import { declaredApps } from "../declared.ts";
import { readEcosystem } from "../ecosystem-file.ts";

interface EnvExportResponse extends Exported {
  readonly environment: string;
  readonly fileName: string;
  readonly text: string;
}

export const envExport = defineOperation({
  id: "env.export",
  access: "write",
  isForMachine: true,
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
  await withAudit(ports, caller, { action: "env.export", environment, keys }, ({ begin }) => begin());
}

/** Every variable of a service's process, including secrets. */
interface ProcessEnvironment {
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Returns the variables that a process of the service gets: the layers of its env file, overridden by those that the
 * ecosystem file sets for the app. They include secrets, so no HTTP route uses this operation.
 */
export const envProcess = defineOperation({
  id: "env.process",
  access: "write",
  isForMachine: true,
  async run(ports: Repository & HasHost, { app, filesOnly, ...request }): Promise<ProcessEnvironment> {
    const contract = await ports.facts.runtimeContract();
    const appVariables = filesOnly ? {} : await readAppEnvironment(ports, request, app);
    const layers = await readLayers(ports, contract, request, Object.keys(appVariables).length > 0);
    return { values: { ...Object.fromEntries(effectiveValues(layers)), ...appVariables } };
  },
});

/** An app may get all of its variables from the ecosystem file, so an env file need not be declared. */
async function readLayers(
  ports: HasFacts & HasFiles & HasWorkspace,
  contract: RuntimeContract,
  request: EnvironmentRequest,
  isOptional: boolean,
): Promise<readonly EnvLayer[]> {
  try {
    return (await readEnvFile(ports, contract, request)).layers;
  } catch (error) {
    if (isOptional && error instanceof SvcmError && error.body.code === "ENV_FILE_NOT_DECLARED") return [];
    throw error;
  }
}

type Variables = Readonly<Record<string, string>>;

/**
 * These variables override those of an env file. Without a name, the service's only app counts.
 * @throws {SvcmError} INVALID_REQUEST if no app has the name; also as {@link readEcosystem}
 */
export async function readAppEnvironment(
  ports: HasEcosystems & HasFacts & HasHost & HasWorkspace,
  request: EnvironmentRequest,
  name: string | undefined,
): Promise<Variables> {
  const { fileName, loaded } = await readEcosystem(ports, request);
  const apps = loaded === undefined ? [] : declaredApps(loaded, { cpuCores: ports.host.cpuCores() });
  if (name === undefined) return apps.length === 1 ? (apps[0]?.env ?? {}) : {};
  const found = apps.find((app) => app.name === name);
  if (found) return found.env;
  const names = apps.map((app) => app.name);
  const declared = loaded ? `${fileName} does not declare the app` : `There is no ${fileName} to declare the app`;
  throw new SvcmError("INVALID_REQUEST", {
    details: `${declared} ${JSON.stringify(name.slice(0, 80))}. Accepted: ${names.join(", ") || "no app"}.`,
    hint: didYouMean(name, names),
  });
}
