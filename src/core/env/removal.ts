import { sortIssues, type Issue } from "../api/issue.ts";
import type { RuntimeContract } from "../api/facts.ts";
import { parseEnvDocument, splitLines, valuesOf } from "./document.ts";
import { requireValues } from "./edit.ts";
import type { EnvLayer } from "./env-file.ts";
import { editableSpec, foreignKeyIssues, maskLineChange, type EnvPlan } from "./plan.ts";
import { defaultOf, isRequired, specOf, maskValue } from "./runtime-keys.ts";

export function removalIssues(
  contract: RuntimeContract,
  keys: readonly string[],
  otherLayers: ReadonlyMap<string, string>,
): Issue[] {
  const required = keys.filter((key) => {
    const spec = editableSpec(contract, key);
    return spec !== undefined && isRequired(spec) && !otherLayers.has(key);
  });
  return sortIssues([
    ...foreignKeyIssues(contract, keys, "keys"),
    ...required.map((key): Issue => {
      const value = defaultOf(contract, key);
      const message = `${key} is required, so it cannot be removed; to set the default: svcm env set ${key}=${value}`;
      return { code: "ENV_KEY_MISSING", severity: "error", path: ["keys", key], message };
    }),
  ]);
}

/** Every other byte stays. @throws {UnwritableValue} if another line would then read differently */
export function planRemoval(contract: RuntimeContract, text: string, keys: readonly string[]): EnvPlan {
  const document = parseEnvDocument(text);
  const removed = document.entries.filter(({ key }) => keys.includes(key));
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of removed) {
    pieces.push(text.slice(from, text.startsWith("\uFEFF", start) ? start + 1 : start));
    from = end + (/^\r?\n|^\r/.exec(text.slice(end, end + 2))?.[0].length ?? 0);
  }
  const next = [...pieces, text.slice(from)].join("");
  const expected = valuesOf(document);
  for (const key of keys) expected.delete(key);
  requireValues(valuesOf(parseEnvDocument(next)), expected, `${keys.join(", ")} cannot be removed`);
  return {
    text: next,
    changedKeys: keys.filter((key) => removed.some((entry) => entry.key === key)),
    ignoredKeys: [],
    changes: removed.map(({ key, start, end, line }) => {
      const before = splitLines(text.slice(start, end).replace("\uFEFF", ""));
      return { key, ...maskLineChange(editableSpec(contract, key), { line, before, after: [] }) };
    }),
    warnings: [],
  };
}

export interface ParsedLayer {
  readonly layer: EnvLayer;
  readonly values: ReadonlyMap<string, string>;
}

export function parseLayers(layers: readonly EnvLayer[]): ParsedLayer[] {
  return layers.map((layer) => ({ layer, values: valuesOf(parseEnvDocument(layer.text)) }));
}

export function findDefiningLayer(layers: readonly ParsedLayer[], key: string): ParsedLayer | undefined {
  return layers.findLast(({ values }) => values.has(key));
}

export interface EffectiveValue {
  readonly key: string;
  readonly value: string;
  readonly from: "file" | "default" | "nowhere";
  readonly fileName?: string;
}

export function effectiveValue(contract: RuntimeContract, layers: readonly ParsedLayer[], key: string): EffectiveValue {
  const definingLayer = findDefiningLayer(layers, key);
  const value = defaultOf(contract, key);
  if (!definingLayer) return { key, value, from: value === "" ? "nowhere" : "default" };
  const stored = definingLayer.values.get(key) ?? "";
  return { key, value: maskValue(specOf(contract, key), stored), from: "file", fileName: definingLayer.layer.fileName };
}
