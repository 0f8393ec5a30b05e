import type { EnvDiffResponse } from "../api/bodies.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { compareText } from "../api/issue.ts";
import { isPlainKey } from "../secrets/secret-value.ts";
import { specOf, tierOf, maskValue } from "./runtime-keys.ts";

type DiffEntry = EnvDiffResponse["entries"][number];

type Values = ReadonlyMap<string, string>;

export function diffEnv(contract: RuntimeContract, from: Values, to: Values): DiffEntry[] {
  const otherKeys = new Set([...from.keys(), ...to.keys()]);
  const contractKeys = Object.keys(contract.keys).filter((key) => otherKeys.delete(key));
  const keys = [...contractKeys, ...[...otherKeys].filter(isPlainKey).toSorted(compareText)];
  return keys.map((key) => diffEntry(contract, key, from.get(key), to.get(key)));
}

function diffEntry(
  contract: RuntimeContract,
  key: string,
  from: string | undefined,
  to: string | undefined,
): DiffEntry {
  const [spec, tier] = [specOf(contract, key), tierOf(contract, key)];
  const mask = (value: string | undefined): string | undefined =>
    tier === "never-exposed" || value === undefined ? undefined : maskValue(spec, value);
  return {
    key,
    tier,
    state: compareValues(from, to),
    from: mask(from),
    to: mask(to),
  };
}

function compareValues(from: string | undefined, to: string | undefined): DiffEntry["state"] {
  if (from === undefined) return "only-to";
  if (to === undefined) return "only-from";
  return from === to ? "same" : "different";
}
