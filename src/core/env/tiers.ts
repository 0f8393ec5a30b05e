import type { KeySpec, RuntimeContract, Tier } from "../facts/schema.ts";
import type { EnvReadResponse } from "../api/bodies.ts";
import { shownValue } from "./values.ts";

/** Ignores members of `Object.prototype`. */
export function specOf(contract: RuntimeContract, key: string): KeySpec | undefined {
  return Object.hasOwn(contract.keys, key) ? contract.keys[key] : undefined;
}

export function tierOf(contract: RuntimeContract, key: string): Tier {
  return specOf(contract, key)?.tier ?? "never-exposed";
}

export function editableKeys(contract: RuntimeContract): string[] {
  return keysOfTier(contract, "editable");
}

/** Editable keys first. */
export function visibleKeys(contract: RuntimeContract): string[] {
  return [...keysOfTier(contract, "editable"), ...keysOfTier(contract, "read-only")];
}

export function tierReason(contract: RuntimeContract, key: string): string {
  return specOf(contract, key)?.reason ?? contract.tiers[tierOf(contract, key)].reason;
}

export function describeUnlisted(key: string, done: "shown" | "written"): string {
  return `${key} is not listed in the runtime contract. Unlisted keys are treated as secrets and never ${done}`;
}

function keysOfTier(contract: RuntimeContract, tier: Tier): string[] {
  return Object.keys(contract.keys).filter((key) => contract.keys[key]?.tier === tier);
}

/** A missing or empty editable key shows its default; a read-only key does not. Credentials in URLs are masked. */
export function readResponse(
  contract: RuntimeContract,
  file: { readonly environment: string; readonly fileName: string; readonly declaredPath?: string },
  held: ReadonlyMap<string, string>,
): EnvReadResponse {
  const values = visibleKeys(contract).map((key) => {
    const value = held.get(key) || defaultOf(contract, key);
    return [key, shownValue(specOf(contract, key), value)];
  });
  return {
    environment: file.environment,
    fileName: file.fileName,
    ...(file.declaredPath !== undefined && { path: file.declaredPath }),
    editableKeys: editableKeys(contract),
    values: Object.fromEntries(values),
  };
}

export function defaultOf(contract: RuntimeContract, key: string): string {
  const spec = specOf(contract, key);
  return spec?.tier === "editable" && "default" in spec ? (spec.default ?? "") : "";
}
