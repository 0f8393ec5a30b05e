import { environmentSpellings } from "../env/environment.ts";
import { tierReason, visibleKeys } from "../env/tiers.ts";
import { acceptedValues } from "../env/values.ts";
import type { CapabilityMatrix, KeySpec, RuntimeContract } from "../facts/schema.ts";
import { defineOperation } from "../operation.ts";
import type { Workspace } from "../ports.ts";

/** A key as a form needs it: its specification, why it has its tier, and every value it accepts. */
export type VisibleKey = KeySpec & { readonly reason: string; readonly accepted: readonly string[] };

export interface ContractResponse {
  readonly runtimeContract: Pick<RuntimeContract, "environments" | "defaultEnvironment" | "profiles"> & {
    /** Every accepted spelling of an environment. */
    readonly environmentSpellings: readonly string[];
    /** The editable and the read-only tier; never-exposed keys are not named. */
    readonly keys: Readonly<Record<string, VisibleKey>>;
  };
  readonly capabilityMatrix: CapabilityMatrix;
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
    const { root, configDir, pm2Dir } = ports.workspace;
    return {
      runtimeContract: {
        environments,
        defaultEnvironment,
        environmentSpellings: spellings,
        keys: Object.fromEntries(keys),
        profiles,
      },
      capabilityMatrix: await ports.facts.capabilityMatrix(),
      workspace: { root, configDir, pm2Dir },
    };
  },
});
