import type { HasHost } from "../../files/port-host.ts";
import type { Repository } from "../ports.ts";
import type { HasFiles } from "../../files/port-files.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { RuntimeContract } from "../../api/facts.ts";
import { effectiveValues, readEnvFile, type EnvLayer } from "../../env/env-file.ts";
import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";
import { readAppEnvironment } from "../app-environment.ts";

import type { EnvironmentRequest } from "../../project/resolve.ts";

/** Every variable of a service's process, including secrets. */
export interface ProcessEnvironment {
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Returns the variables that a process of the service gets: the layers of its env file, overridden by those that the
 * ecosystem file sets for the app. They include secrets, so no HTTP route uses this operation.
 */
export const envProcess = defineOperation({
  id: "env.process",
  access: "write",
  refusal: "INVALID_REQUEST",
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
