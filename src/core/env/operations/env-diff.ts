import type { HasFiles } from "../../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { EnvDiffResponse } from "../../api/bodies.ts";
import { defineOperation } from "../../access/operation.ts";
import { effectiveValues, readEnvFile } from "../env-file.ts";
import type { RuntimeContract } from "../../api/facts.ts";
import { compareText } from "../../api/issue.ts";
import { isPlainKey } from "../../secrets/secret-value.ts";
import { maskValue, specOf, tierOf } from "../runtime-keys.ts";

type DiffEntry = EnvDiffResponse["entries"][number];

type Values = ReadonlyMap<string, string>;

function diffEnv(contract: RuntimeContract, from: Values, to: Values): DiffEntry[] {
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

/** Compares secrets, but never returns them. */
export const envDiff = defineOperation({
  id: "env.diff",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasFacts & HasFiles & HasWorkspace, input): Promise<EnvDiffResponse> {
    const contract = await ports.facts.runtimeContract();
    const [from, to] = await Promise.all([
      readEnvFile(ports, contract, { environment: input.from, service: input.service }),
      readEnvFile(ports, contract, { environment: input.to, service: input.service }),
    ]);
    const entries = diffEnv(contract, effectiveValues(from.layers), effectiveValues(to.layers));
    return { from: from.environment, to: to.environment, entries };
  },
});
