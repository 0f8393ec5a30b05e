import { sortIssues, type Issue } from "../api/issue.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { isRequired } from "./check-rules.ts";
import { parseEnvDocument, valuesOf } from "./document.ts";
import { linesOf, requireReading } from "./edit.ts";
import type { EnvLayer } from "./env-file.ts";
import { editableSpec, foreignKeyIssues, shownChange, type EnvPlan } from "./plan.ts";
import { defaultOf, specOf } from "./tiers.ts";
import { shownValue } from "./values.ts";

export function removalIssues(
  contract: RuntimeContract,
  keys: readonly string[],
  elsewhere: ReadonlyMap<string, string>,
): Issue[] {
  const mandatory = keys.filter((key) => {
    const spec = editableSpec(contract, key);
    return spec !== undefined && isRequired(spec) && !elsewhere.has(key);
  });
  return sortIssues([
    ...foreignKeyIssues(contract, keys, "keys"),
    ...mandatory.map((key): Issue => {
      const value = defaultOf(contract, key);
      const message = `${key} is required, so it cannot be removed; to set the default: svcm env set ${key}=${value}`;
      return { code: "ENV_KEY_MISSING", severity: "error", path: ["keys", key], message };
    }),
  ]);
}

/** Every other byte stays. @throws {UnwritableValue} if another line would then read differently */
export function planRemoval(contract: RuntimeContract, text: string, keys: readonly string[]): EnvPlan {
  const document = parseEnvDocument(text);
  const gone = document.entries.filter(({ key }) => keys.includes(key));
  const kept: string[] = [];
  let from = 0;
  for (const { start, end } of gone) {
    kept.push(text.slice(from, text.startsWith("\uFEFF", start) ? start + 1 : start));
    from = end + (/^\r?\n|^\r/.exec(text.slice(end, end + 2))?.[0].length ?? 0);
  }
  const next = [...kept, text.slice(from)].join("");
  const expected = valuesOf(document);
  for (const key of keys) expected.delete(key);
  requireReading(valuesOf(parseEnvDocument(next)), expected, `${keys.join(", ")} cannot be removed`);
  return {
    text: next,
    changedKeys: keys.filter((key) => gone.some((entry) => entry.key === key)),
    ignoredKeys: [],
    changes: gone.map(({ key, start, end, line }) => {
      const before = linesOf(text.slice(start, end).replace("\uFEFF", ""));
      return { key, ...shownChange(editableSpec(contract, key), { line, before, after: [] }) };
    }),
    warnings: [],
  };
}

export interface HeldLayer {
  readonly layer: EnvLayer;
  readonly values: ReadonlyMap<string, string>;
}

export function heldLayers(layers: readonly EnvLayer[]): HeldLayer[] {
  return layers.map((layer) => ({ layer, values: valuesOf(parseEnvDocument(layer.text)) }));
}

/** The line of the last layer takes effect. */
export function holderOf(held: readonly HeldLayer[], key: string): HeldLayer | undefined {
  return held.findLast(({ values }) => values.has(key));
}

export interface Effective {
  readonly key: string;
  readonly value: string;
  readonly from: "file" | "default" | "nowhere";
  readonly fileName?: string;
}

export function effectiveOf(contract: RuntimeContract, layers: readonly HeldLayer[], key: string): Effective {
  const holder = holderOf(layers, key);
  const value = defaultOf(contract, key);
  if (!holder) return { key, value, from: value === "" ? "nowhere" : "default" };
  const held = holder.values.get(key) ?? "";
  return { key, value: shownValue(specOf(contract, key), held), from: "file", fileName: holder.layer.fileName };
}
