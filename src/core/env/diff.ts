import type { EnvDiffResponse } from "../api/bodies.ts";
import type { RuntimeContract } from "../api/facts.ts";
import { compareText } from "../api/issue.ts";
import { isPlainKey } from "../secrets/secret-value.ts";
import { specOf, tierOf, maskValue } from "./runtime-keys.ts";

type DiffEntry = EnvDiffResponse["entries"][number];

type Values = ReadonlyMap<string, string>;

export function diffEnv(contract: RuntimeContract, from: Values, to: Values): DiffEntry[] {
  const otherKeys = new Set([...from.keys(), ...to.keys()]);
  const contractKeys = Object.keys(contract.keys).filter((key) => otherKeys.delete(key));
  const keys = [...contractKeys, ...[...otherKeys].filter(isPlainKey).toSorted(compareText)];
  return keys.map((key): DiffEntry => {
    const [tier, before, after] = [tierOf(contract, key), from.get(key), to.get(key)];
    const mask = (value: string | undefined): string | undefined =>
      tier === "never-exposed" || value === undefined ? undefined : maskValue(specOf(contract, key), value);
    return { key, tier, state: compareValues(before, after), from: mask(before), to: mask(after) };
  });
}

function compareValues(from: string | undefined, to: string | undefined): DiffEntry["state"] {
  if (from === undefined) return "only-to";
  if (to === undefined) return "only-from";
  return from === to ? "same" : "different";
}
