import { resolveEcosystemEnvironment } from "../pm2/environment.ts";
import { environmentSpellings, resolveEnvironment } from "../env/environment.ts";
import { tierReason, visibleKeys } from "../env/tiers.ts";
import { acceptedValues } from "../env/values.ts";
import type { CapabilityMatrix, KeySpec, RuntimeContract } from "../facts/schema.ts";
import { describeError, type ErrorBody } from "../errors.ts";
import { defineOperation } from "../operation.ts";
import type { Workspace } from "../ports.ts";

/** A key as a form needs it: its specification, why it has its tier, and every value it accepts. */
export type VisibleKey = KeySpec & { readonly reason: string; readonly accepted: readonly string[] };

/** An environment as the API resolves it, or the API's refusal. */
export type DefaultEnvironment =
  | { readonly environment: string; readonly name: string }
  | { readonly refusal: ErrorBody };

export interface ContractResponse {
  readonly runtimeContract: Pick<RuntimeContract, "environments" | "defaultEnvironment" | "profiles"> & {
    /** Every accepted spelling of an environment. */
    readonly environmentSpellings: readonly string[];
    /** The editable and the read-only tier; never-exposed keys are not named. */
    readonly keys: Readonly<Record<string, VisibleKey>>;
  };
  readonly capabilityMatrix: CapabilityMatrix;
  /** What a request without an environment is about: `NODE_ENV` decides, else the contract's default. */
  readonly defaultEnvironment: {
    readonly envFile: DefaultEnvironment;
    readonly ecosystem: DefaultEnvironment;
  };
  /** Absolute paths: whose facts these are, and where the env files and the ecosystem files stand. */
  readonly workspace: Pick<Workspace, "root" | "configDir" | "pm2Dir">;
}

/** The two facts as data: what forms, selects and completions are built from, and where they are applied. */
export const contractShow = defineOperation({
  id: "contract.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports): Promise<ContractResponse> {
    const contract = await ports.facts.runtimeContract();
    const { environments, defaultEnvironment, profiles } = contract;
    const keys = visibleKeys(contract).flatMap((key): [string, VisibleKey][] => {
      const spec = contract.keys[key];
      return spec ? [[key, { ...spec, reason: tierReason(contract, key), accepted: acceptedValues(spec) }]] : [];
    });
    const spellings = environmentSpellings(contract);
    const { root, configDir, pm2Dir, nodeEnv } = ports.workspace;
    const matrix = await ports.facts.capabilityMatrix();
    return {
      runtimeContract: {
        environments,
        defaultEnvironment,
        environmentSpellings: spellings,
        keys: Object.fromEntries(keys),
        profiles,
      },
      capabilityMatrix: matrix,
      defaultEnvironment: {
        envFile: orRefusal(() => resolveEnvironment(contract, undefined, nodeEnv)),
        ecosystem: orRefusal(() => resolveEcosystemEnvironment({ contract, matrix }, undefined, nodeEnv)),
      },
      workspace: { root, configDir, pm2Dir },
    };
  },
});

function orRefusal(resolve: () => { readonly environment: string; readonly name: string }): DefaultEnvironment {
  try {
    const { environment, name } = resolve();
    return { environment, name };
  } catch (error) {
    return { refusal: describeError(error).body };
  }
}
