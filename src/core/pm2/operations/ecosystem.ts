import type { HasFiles, HasHost } from "../../files/ports.ts";
import type { HasEcosystems, Repository } from "../ports.ts";
import type { Issue } from "../../api/issue.ts";
import { vocabularyOf } from "../../deployments/file.ts";
import { type Caller, defineOperation } from "../../access/operation.ts";
import { readChecked } from "../checked-ecosystem.ts";
import { machineCodes } from "../rules/index.ts";
import type { EcosystemResponse } from "../../api/bodies.ts";
import { ecosystemResponse } from "../view.ts";
import { SvcmError, refusal } from "../../api/errors.ts";
import type { CapabilityMatrix, RuntimeContract } from "../../api/facts.ts";
import { didYouMean } from "../../words/suggest.ts";
import { readEcosystem, readSecrets } from "../ecosystem-file.ts";
import type { Audited } from "../../access/ports.ts";
import { withAudit } from "../../access/with-audit.ts";
import { type EnvLayer, effectiveValues, readEnvFile } from "../../env/env-file.ts";
import { type Exported, exportIssues, exportText, exportedValues } from "../../env/export.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { EnvironmentRequest } from "../../project/resolve.ts";
import { declaredApps } from "../declared.ts";

interface EcosystemCheckResponse {
  readonly environment: string;
  readonly fileName: string;
  readonly path: string;
  readonly exists: boolean;
  readonly issues: readonly Issue[];
}

/** Never returns values. */
export const ecosystemCheck = defineOperation({
  id: "ecosystem.check",
  access: "read",
  isForMachine: true,
  async run(ports: Repository & HasHost, { offline, ...request }): Promise<EcosystemCheckResponse> {
    const { file, issues: found } = await readChecked(ports, await vocabularyOf(ports), request);
    const { environment, fileName, path, loaded } = file;
    const issues = found.filter(({ code }) => offline !== true || !machineCodes.has(code));
    return { environment, fileName, path, exists: loaded !== undefined, issues };
  },
});

/** @see the specification, "PM2 ecosystem response" */
export const ecosystemShow = defineOperation({
  id: "ecosystem.show",
  access: "read",
  isForMachine: true,
  async run(ports: Repository & HasHost, { serviceKind, ...request }): Promise<EcosystemResponse> {
    const suffixes =
      serviceKind === undefined ? undefined : findSuffixes(await ports.facts.capabilityMatrix(), serviceKind);
    const { contract, ...file } = await readEcosystem(ports, request);
    const secrets = await readSecrets(ports, contract);
    return ecosystemResponse(file, { contract, secrets, suffixes, cpuCores: ports.host.cpuCores() });
  },
});

function findSuffixes({ serviceKinds }: CapabilityMatrix, serviceKind: string): readonly string[] {
  const kind = Object.hasOwn(serviceKinds, serviceKind) ? serviceKinds[serviceKind] : undefined;
  if (kind) return kind.appSuffixes;
  const accepted = Object.keys(serviceKinds);
  throw new SvcmError("INVALID_REQUEST", {
    details: `Unsupported service kind ${JSON.stringify(serviceKind.slice(0, 80))}. Accepted: ${accepted.join(", ")}.`,
    hint: didYouMean(serviceKind, accepted),
  });
}

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
