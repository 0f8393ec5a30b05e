import type { EnvDiffResponse } from "../api/bodies.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { compareText } from "../api/issue.ts";
import { isPlainKey } from "../secrets/secret-value.ts";
import { specOf, tierOf } from "./tiers.ts";
import { shownValue } from "./values.ts";

type DiffEntry = EnvDiffResponse["entries"][number];

type Values = ReadonlyMap<string, string>;

export function diffEnv(contract: RuntimeContract, left: Values, right: Values): DiffEntry[] {
  const held = new Set([...left.keys(), ...right.keys()]);
  const known = Object.keys(contract.keys).filter((key) => held.delete(key));
  const keys = [...known, ...[...held].filter(isPlainKey).toSorted(compareText)];
  return keys.map((key) => entryOf(contract, key, left.get(key), right.get(key)));
}

function entryOf(contract: RuntimeContract, key: string, from: string | undefined, to: string | undefined): DiffEntry {
  const [spec, tier] = [specOf(contract, key), tierOf(contract, key)];
  const shown = (value: string | undefined): string | undefined =>
    tier === "never-exposed" || value === undefined ? undefined : shownValue(spec, value);
  return {
    key,
    tier,
    state: stateOf(from, to),
    from: shown(from),
    to: shown(to),
  };
}

function stateOf(from: string | undefined, to: string | undefined): DiffEntry["state"] {
  if (from === undefined) return "only-to";
  if (to === undefined) return "only-from";
  return from === to ? "same" : "different";
}
