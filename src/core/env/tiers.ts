import type { KeySpec, RuntimeContract, Tier } from "../facts/schema.ts";

/** The contract's entry of a key; never something inherited from `Object.prototype`. */
export function specOf(contract: RuntimeContract, key: string): KeySpec | undefined {
  return Object.hasOwn(contract.keys, key) ? contract.keys[key] : undefined;
}

/** The tier of any key. Deny by default: a key that the contract does not know is never exposed. */
export function tierOf(contract: RuntimeContract, key: string): Tier {
  return specOf(contract, key)?.tier ?? "never-exposed";
}

/** The write allowlist, in the contract's order. */
export function editableKeys(contract: RuntimeContract): string[] {
  return keysOfTier(contract, "editable");
}

/** The read allowlist: the editable and the read-only tier. */
export function visibleKeys(contract: RuntimeContract): string[] {
  return [...keysOfTier(contract, "editable"), ...keysOfTier(contract, "read-only")];
}

/** Why a key may not be written, in the contract's words. */
export function tierReason(contract: RuntimeContract, key: string): string {
  return specOf(contract, key)?.reason ?? contract.tiers[tierOf(contract, key)].reason;
}

/** Why nothing is done with a key that the contract does not list. */
export function describeUnlisted(key: string, done: "shown" | "written"): string {
  return `${key} is not listed in config/runtime-contract.yaml. Unlisted keys are treated as secrets and never ${done}`;
}

function keysOfTier(contract: RuntimeContract, tier: Tier): string[] {
  return Object.keys(contract.keys).filter((key) => contract.keys[key]?.tier === tier);
}
