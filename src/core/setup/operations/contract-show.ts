import type { HasHost } from "../../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import { ecosystemSpellings, envSpellings, resolveEnvironment } from "../../project/resolve.ts";
import { tierReason, visibleKeys, acceptedValues } from "../../env/runtime-keys.ts";
import type { ContractResponse } from "../../api/bodies.ts";
import { describeError, SvcmError } from "../../api/errors.ts";
import { type Caller, defineOperation } from "../../access/operation.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import { withMachineEnvironment } from "../../rollout/machine-environment.ts";
import type { HasReleases } from "../../rollout/ports.ts";

type VisibleKey = ContractResponse["runtimeContract"]["keys"][string];
type DefaultEnvironment = ContractResponse["defaultEnvironment"]["envFile"];

type ContractPorts = HasFacts & HasHost & HasProcesses & HasReleases & HasWorkspace;

export const contractShow = defineOperation({
  id: "contract.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: ContractPorts, _input, caller): Promise<ContractResponse> {
    const contract = await ports.facts.runtimeContract();
    const { environments, defaultEnvironment, profiles } = contract;
    const keys = visibleKeys(contract).flatMap((key): [string, VisibleKey][] => {
      const listed = contract.keys[key];
      if (listed === undefined) return [];
      const { guess: _guess, ...spec } = listed;
      return [[key, { ...spec, reason: tierReason(contract, key), accepted: acceptedValues(spec) }]];
    });
    const spellings = envSpellings(contract);
    const { root, configDir, pm2Dir, nodeEnv } = ports.workspace;
    const matrix = await ports.facts.capabilityMatrix();
    const project = await ports.facts.project();
    return {
      runtimeContract: {
        environments,
        defaultEnvironment,
        environmentSpellings: [...spellings.keys()],
        keys: Object.fromEntries(keys),
        profiles,
      },
      capabilityMatrix: matrix,
      defaultEnvironment: {
        envFile: resolveOrRefusal(() => resolveEnvironment(spellings, contract, undefined, nodeEnv)),
        ecosystem: resolveOrRefusal(() =>
          resolveEnvironment(ecosystemSpellings(contract, matrix), contract, undefined, nodeEnv),
        ),
      },
      machineEnvironment: await machineEnvironment(ports, caller),
      workspace: { root, configDir, pm2Dir },
      host: ports.host.name(),
      services: Object.keys(project?.services ?? {}).filter((name) => name !== ""),
      nodes: Object.keys(project?.nats?.nodes ?? {}),
    };
  },
});

/** Without it, the rest of the answer is still useful. */
async function machineEnvironment(ports: ContractPorts, caller: Caller): Promise<string | null> {
  try {
    return (await withMachineEnvironment(ports, { environment: undefined }, caller)).environment ?? null;
  } catch (error) {
    if (error instanceof SvcmError) return null;
    throw error;
  }
}

function resolveOrRefusal(resolve: () => { readonly environment: string; readonly name: string }): DefaultEnvironment {
  try {
    const { environment, name } = resolve();
    return { environment, name };
  } catch (error) {
    return { refusal: describeError(error).body };
  }
}
