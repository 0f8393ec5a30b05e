import type * as z from "zod";
import type { Vocabulary } from "../../core/deployments/file.ts";
import type { contractBody } from "../../core/api/bodies.ts";

export type ContractBody = z.infer<typeof contractBody>;

export interface Facts {
  readonly contract: ContractBody["runtimeContract"];
  readonly matrix: ContractBody["capabilityMatrix"];
  /** The environment of a request without one, or the server's refusal. */
  readonly defaults: ContractBody["defaultEnvironment"];
  readonly machineEnvironment: ContractBody["machineEnvironment"];
  readonly workspace: ContractBody["workspace"];
  readonly host: string;
  readonly services: ContractBody["services"];
  readonly nodes: ContractBody["nodes"];
  readonly vocabulary: Vocabulary;
}

export function toFacts(body: ContractBody): Facts {
  const { runtimeContract: contract, capabilityMatrix: matrix, defaultEnvironment: defaults } = body;
  const { machineEnvironment, workspace, host, services, nodes } = body;
  // The validators read environments and enum keys, and the visible part has all of these.
  const vocabulary = { contract: contract as unknown as Vocabulary["contract"], matrix };
  return { contract, matrix, defaults, machineEnvironment, workspace, host, services, nodes, vocabulary };
}
