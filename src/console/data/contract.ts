import type { Vocabulary } from "../../core/deployments/vocabulary.ts";
import type { ContractBody } from "./api.ts";

/** What forms are built from and what the shared validators read. The console has no list of its own. */
export interface Facts {
  /** Of `GET /api/runtime/contract`: the visible tiers, with what each key accepts. */
  readonly contract: ContractBody["runtimeContract"];
  readonly matrix: ContractBody["capabilityMatrix"];
  /** What the server takes for a request that names no environment, or its refusal. */
  readonly defaults: ContractBody["defaultEnvironment"];
  /** Whose they are: absolute paths of the server's machine. */
  readonly workspace: ContractBody["workspace"];
  /** The same facts, as the validators of core/deployments take them. */
  readonly vocabulary: Vocabulary;
}

export function factsOf(body: ContractBody): Facts {
  const { runtimeContract: contract, capabilityMatrix: matrix, defaultEnvironment: defaults, workspace } = body;
  // The validators look at environments and enum keys, which the visible part has whole.
  return {
    contract,
    matrix,
    defaults,
    workspace,
    vocabulary: { contract: contract as unknown as Vocabulary["contract"], matrix },
  };
}
