import type { HasFiles } from "../../files/ports.ts";
import type { HasFacts } from "../../project/port-repository.ts";
import type { Audited } from "../../access/ports.ts";
import { defineOperation } from "../../access/operation.ts";
import { editKeys } from "../edit-keys.ts";
import { confirmChanges, type ListedKey, listedKeys, tierChanges } from "../../project/keys.ts";
import type { InputOf } from "../../api/inputs.ts";
import { classify } from "../detect/classify.ts";

export const keysList = defineOperation({
  id: "keys.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ facts }: HasFacts): Promise<{ readonly keys: readonly ListedKey[] }> {
    return { keys: listedKeys(await facts.runtimeContract(), await facts.project()) };
  },
});

/** Declares keys that an app begins to read, before or after an env file has them. */
export const keysAdd = defineOperation({
  id: "keys.add",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  run: (ports: Audited & HasFacts & HasFiles, { keys, dryRun, ...wish }, caller) =>
    editKeys(ports, caller, {
      action: "keys.add",
      dryRun,
      keys,
      isNew: true,
      decide: () => [...new Set(keys)].map((key) => ({ kind: "set", path: ["keys", key], value: newEntry(key, wish) })),
    }),
});

/** In doubt, a key counts as a secret, unless the request names a kind or makes it editable. */
function newEntry(
  key: string,
  { kind, values, editable }: Pick<InputOf<"keys.add">, "kind" | "values" | "editable">,
): Readonly<Record<string, unknown>> {
  const tier = editable ? "editable" : "read-only";
  if (values !== undefined) return { kind: "enum", values, tier };
  const proposed = classify(key, []);
  const isOpen = proposed.verdict === "open" || (proposed.verdict === "undecided" && editable);
  const chosen = kind ?? (isOpen ? proposed.kind : proposed.verdict === "connection" ? "connection-url" : "secret");
  const isHidden = chosen === "secret" || chosen === "connection-url";
  return { kind: chosen, ...((!isHidden || editable) && { tier }) };
}

/** Turns guesses of `svcm init` into declared keys by removing `guess` from their entries in `svcm.yaml`. */
export const keysConfirm = defineOperation({
  id: "keys.confirm",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  run: (ports: Audited & HasFacts & HasFiles, { keys, dryRun }, caller) =>
    editKeys(ports, caller, {
      action: "keys.confirm",
      dryRun,
      keys: keys ?? [],
      decide: (project) => confirmChanges(project, keys ?? Object.keys(project.guesses)),
    }),
});

export const keysSetTier = defineOperation({
  id: "keys.set-tier",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  run: (ports: Audited & HasFacts & HasFiles, { keys, tier, dryRun }, caller) =>
    editKeys(ports, caller, {
      action: "keys.set-tier",
      dryRun,
      keys,
      decide: (project) => tierChanges(project, keys, tier),
    }),
});
