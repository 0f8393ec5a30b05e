import { packagedCapabilityMatrix, packagedRuntimeContract } from "./packaged.generated.ts";
import { PROJECT_FILE, type Project } from "../project.ts";
import type { CapabilityMatrix, RuntimeContract } from "../../api/facts.ts";

/** Such a repository exposes only its own keys. */
export function isOwnContract(contract: RuntimeContract): boolean {
  return contract !== packagedRuntimeContract;
}

export type KeySource = typeof PROJECT_FILE | "config/runtime-contract.yaml" | "packaged";

export function keySource({ keys }: RuntimeContract, project?: Pick<Project, "keys">): KeySource {
  if (project?.keys !== undefined) return PROJECT_FILE;
  return keys === packagedRuntimeContract.keys ? "packaged" : "config/runtime-contract.yaml";
}

/** Without the drivers and frameworks of keys that the contract lacks. */
export function limitMatrix(contract: RuntimeContract, matrix = packagedCapabilityMatrix): CapabilityMatrix {
  if (!isOwnContract(contract)) return matrix;
  const { drivers, interfaceTypes, ...rest } = matrix;
  const isKnown = (fact: unknown): boolean => {
    const key = typeof fact === "object" && fact !== null && "key" in fact ? String(fact.key) : undefined;
    return key === undefined || contract.keys[key]?.kind === "enum";
  };
  return {
    ...rest,
    drivers: Object.fromEntries(Object.entries(drivers).filter(([, driver]) => isKnown(driver))),
    interfaceTypes: Object.fromEntries(
      Object.entries(interfaceTypes).map(([name, { frameworks, ...type }]) => [
        name,
        isKnown(frameworks) ? { ...type, frameworks } : type,
      ]),
    ),
  };
}
