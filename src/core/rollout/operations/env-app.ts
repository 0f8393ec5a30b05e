import type { RolloutPorts } from "../ports.ts";
import type { EnvironmentRequest } from "../../project/resolve.ts";
import type { RuntimeContract } from "../../api/facts.ts";
import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";
import { parseEnvDocument, valuesOf } from "../../env/document.ts";
import { readEnvFile } from "../../env/env-file.ts";
import { defaultOf, maskValue, specOf, visibleKeys } from "../../env/runtime-keys.ts";
import { envServices } from "../../project/env-layers.ts";
import { requireVisible } from "../../env/operations/env-read.ts";
import { declaredApps } from "../../pm2/declared.ts";
import { readEcosystem, readSecrets } from "../../pm2/ecosystem-file.ts";
import { createEcosystemScrub } from "../../pm2/view.ts";
import { listOrEmpty } from "../../pm2/list.ts";
import { didYouMean } from "../../words/suggest.ts";
import { decideAppValues, runningFrom, type AppValue, type ValueFacts } from "../app-value.ts";
import { withMachineEnvironment } from "../machine-environment.ts";
import { computePlan } from "../planning.ts";

export interface EnvAppResponse {
  readonly environment: string;
  readonly app: string;
  readonly values: readonly AppValue[];
  /** Why it is unknown with which values the app runs. */
  readonly unknown?: string;
}

/** The value of each visible key that a start of the app would give it, and the file that it comes from. */
export const envApp = defineOperation({
  id: "env.app",
  access: "read",
  async run(ports: RolloutPorts, { app, keys, ...place }, caller): Promise<EnvAppResponse> {
    const request = await withMachineEnvironment(ports, place, caller);
    const { contract, environment, fileName, loaded } = await readEcosystem(ports, request);
    if (keys !== undefined) requireVisible(contract, keys);
    const apps = loaded === undefined ? [] : declaredApps(loaded, { cpuCores: ports.host.cpuCores() });
    const found = apps.find(({ name }) => name === app);
    if (found === undefined)
      throw unknownApp(
        app,
        fileName,
        apps.map(({ name }) => name),
      );
    const service = loaded?.apps[apps.indexOf(found)]?.start?.service ?? "";
    const services = envServices(await ports.facts.project(), ports.workspace.root, { service, cwd: found.cwd });
    const layersOf = async (name: string) =>
      await readLayers(ports, contract, { ...request, environment, ...(name !== "" && { service: name }) });
    const layers = (await Promise.all(services.map(layersOf))).flat();
    const { plan, unknown } = await planFor(ports, { ...request, environment, apps: [app] });
    const processes = await listOrEmpty(ports.processes);
    const alive = processes.filter(({ name, pid }) => name === app && pid !== null);
    const values = decideAppValues({
      keys: keys ?? visibleKeys(contract),
      ecosystem: { fileName, env: found.env },
      layers,
      defaultOf: (key) => defaultOf(contract, key),
      runningOf: runningFrom(plan, app, alive.length),
    });
    const scrub = createEcosystemScrub(loaded, { contract, secrets: await readSecrets(ports, contract) });
    const masked = values.map((one) => ({ ...one, value: scrub(maskValue(specOf(contract, one.key), one.value)) }));
    return { environment, app, values: masked, ...(unknown !== undefined && { unknown }) };
  },
});

function unknownApp(app: string, fileName: string, names: readonly string[]): SvcmError {
  return new SvcmError("INVALID_REQUEST", {
    details: `${fileName} does not declare the app ${JSON.stringify(app.slice(0, 80))}. Accepted: ${names.join(", ") || "no app"}.`,
    hint: didYouMean(app, names),
  });
}

/** An app may get all of its variables from the ecosystem file. */
async function readLayers(
  ports: RolloutPorts,
  contract: RuntimeContract,
  request: EnvironmentRequest,
): Promise<ValueFacts["layers"]> {
  try {
    const { layers } = await readEnvFile(ports, contract, request);
    return layers.map(({ fileName, text }) => ({ fileName, values: valuesOf(parseEnvDocument(text)) }));
  } catch (error) {
    if (error instanceof SvcmError && error.body.code === "ENV_FILE_NOT_DECLARED") return [];
    throw error;
  }
}

async function planFor(ports: RolloutPorts, request: Parameters<typeof computePlan>[1]) {
  try {
    return { plan: (await computePlan(ports, request)).plan };
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    return { plan: undefined, unknown: error.message };
  }
}
