import type { EnvReadResponse } from "../api/bodies.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { editableKeys, specOf, visibleKeys } from "./tiers.ts";
import { shownValue } from "./values.ts";

/**
 * The visible part of an env file. A missing or empty editable key shows its default; a read-only key does not.
 * Credentials in URLs are masked.
 */
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
