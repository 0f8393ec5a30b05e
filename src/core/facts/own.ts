import { packagedCapabilityMatrix, packagedRuntimeContract } from "./packaged.generated.ts";
import type { CapabilityMatrix, RuntimeContract } from "./schema.ts";

/** Such a repository exposes only its own keys. */
export function isOwnContract(contract: RuntimeContract): boolean {
  return contract !== packagedRuntimeContract;
}

/** Without the drivers and frameworks of keys that the contract lacks. */
export function matrixFor(contract: RuntimeContract, whole = packagedCapabilityMatrix): CapabilityMatrix {
  if (!isOwnContract(contract)) return whole;
  const { drivers, interfaceTypes, ...matrix } = whole;
  const isKnown = (fact: unknown): boolean => {
    const key = typeof fact === "object" && fact !== null && "key" in fact ? String(fact.key) : undefined;
    return key === undefined || contract.keys[key]?.kind === "enum";
  };
  return {
    ...matrix,
    drivers: Object.fromEntries(Object.entries(drivers).filter(([, driver]) => isKnown(driver))),
    interfaceTypes: Object.fromEntries(
      Object.entries(interfaceTypes).map(([name, { frameworks, ...type }]) => [
        name,
        isKnown(frameworks) ? { ...type, frameworks } : type,
      ]),
    ),
  };
}
