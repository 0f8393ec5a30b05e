import { ownMember } from "../words/record.ts";
import type { KeySpec, RuntimeContract } from "../api/facts.ts";
import { keySource } from "../project/facts/own-contract.ts";
import { suggest } from "../words/suggest.ts";
import { parseEnvDocument, splitLines, valuesOf } from "./document.ts";
import type { LineChange } from "../words/text.ts";
import { type KeyEdit, requireValues, setValues } from "./edit.ts";
import {
  acceptedValues,
  defaultOf,
  describeUnlisted,
  editableKeys,
  isEmptyMisread,
  isRequired,
  maskValue,
  specOf,
  tierOf,
  tierReason,
} from "./runtime-keys.ts";
import { expansionIssue, quotingIssue, valueIssue, valueRules } from "./value-rules.ts";
import { type Issue, sortIssues } from "../api/issue.ts";
import { refusal } from "../api/errors.ts";
import { checkEnvFiles } from "./check.ts";
import type { EnvLayer } from "./env-file.ts";

/** The HTTP API ignores a key outside the allowlist; the command line refuses it. */
export type ForeignKeys = "ignore" | "refuse";

export type EnvValues = Readonly<Record<string, string>>;

export interface EnvPlan {
  readonly text: string;
  readonly changedKeys: readonly string[];
  readonly ignoredKeys: readonly string[];
  readonly changes: readonly KeyChange[];
  readonly warnings: readonly Issue[];
}

export interface KeyChange extends LineChange {
  readonly key: string;
}

export function assignmentIssues(contract: RuntimeContract, values: EnvValues, foreign: ForeignKeys): Issue[] {
  const issues = Object.entries(values).flatMap(([key, value]): Issue[] => {
    const spec = editableSpec(contract, key);
    if (!spec) return foreign === "refuse" ? foreignKeyIssues(contract, [key], "values") : [];
    const problem = emptyIssue(key, spec, value) ?? valueIssue(key, spec, value) ?? quotingIssue(key, spec, value);
    return problem ? [{ ...problem, path: ["values", key] }] : [];
  });
  return sortIssues(issues);
}

/** An empty line in a file stays, but svcm writes none where a program would read 0 or false. */
function emptyIssue(key: string, spec: KeySpec, value: string): Omit<Issue, "path"> | undefined {
  if (value !== "" || !isEmptyMisread(spec)) return undefined;
  const accepted = acceptedValues(spec);
  const message = `${key}: an empty value is not accepted; accepted: ${accepted.join(", ")}. To remove the key: svcm env unset ${key}`;
  return { code: "ENV_VALUE_UNSUPPORTED", severity: "error", message, accepted };
}

/**
 * @param assignments accepted by {@link assignmentIssues}
 * @param file the file name in warnings
 * @throws {UnwritableValue}
 */
export function planWrite(contract: RuntimeContract, text: string, values: EnvValues, file: string): EnvPlan {
  const specs = new Map(Object.keys(values).map((key) => [key, editableSpec(contract, key)]));
  const assignments = Object.entries(values).flatMap(([key, value]) => {
    const spec = specs.get(key);
    return spec ? [{ key, value, isValue: (current: string) => acceptedValues(spec).includes(current) }] : [];
  });
  const edited = setValues(text, assignments);
  return {
    text: edited.text,
    changedKeys: edited.edits.map(({ key }) => key),
    ignoredKeys: Object.keys(values).filter((key) => specs.get(key) === undefined),
    changes: edited.edits.map(({ key, change }) => ({ key, ...maskLineChange(specs.get(key), change) })),
    warnings: sortIssues(edited.edits.flatMap((edit) => editWarnings(edit, ownMember(values, edit.key) ?? "", file))),
  };
}

function editWarnings({ key, change, ambiguities: doubts }: KeyEdit, value: string, file: string): Issue[] {
  const expansion = expansionIssue(key, value);
  const warnings = doubts.map(({ line, reason }): Issue => {
    const at = { file, line, column: 1 };
    return { code: "ENV_LINE_AMBIGUOUS", severity: "warning", path: [key], message: `${key}: ${reason}`, at };
  });
  if (!expansion) return warnings;
  return [...warnings, { ...expansion, at: { file, line: change.line, column: 1 } }];
}

export function maskLineChange(spec: KeySpec | undefined, change: LineChange): LineChange {
  const maskLine = (line: string): string => {
    const start = line.indexOf("=") + 1;
    return line.slice(0, start) + maskValue(spec, line.slice(start));
  };
  return { ...change, before: change.before.map(maskLine), after: change.after.map(maskLine) };
}

function editableSpec(contract: RuntimeContract, key: string): KeySpec | undefined {
  const spec = specOf(contract, key);
  return spec?.tier === "editable" ? spec : undefined;
}

/** @param member the member of the request that names the keys */
function foreignKeyIssues(contract: RuntimeContract, keys: readonly string[], member: string): Issue[] {
  const accepted = editableKeys(contract);
  return keys
    .filter((key) => !editableSpec(contract, key))
    .map((key) => {
      const isListed = specOf(contract, key) !== undefined;
      const suggestion = isListed ? undefined : suggest(key, accepted);
      return {
        code: "ENV_KEY_NOT_EDITABLE",
        severity: "error",
        path: [member, key],
        message: isListed
          ? `${key} is not editable (${tierOf(contract, key)}): ${tierReason(contract, key)}${permission(contract, key)}`
          : describeUnlisted(contract, key, "written"),
        accepted,
        suggestion,
      };
    });
}

/** A secret stays hidden, and svcm writes none. */
function permission(contract: RuntimeContract, key: string): string {
  const tier = tierOf(contract, key);
  if (keySource(contract) === "packaged" || tier === "editable") return "";
  if (tier === "read-only") return `. To allow svcm to write it: svcm keys allow ${key}`;
  const guess = specOf(contract, key)?.guess;
  const unless =
    guess === undefined ? "" : `. svcm init guessed so: ${guess}. If it holds no secret: svcm keys allow ${key}`;
  return `${unless}. svcm writes no secret: edit its line in the env file, then run svcm plan`;
}

export interface Rewrite {
  readonly fileName: string;
  readonly before: string;
  readonly after: string;
  readonly below: readonly { readonly text: string; readonly fileName: string }[];
}

/** @throws {SvcmError} INVALID_PAYLOAD for keys that are not editable, and for new errors */
export function planRewrite(contract: RuntimeContract, rewrite: Rewrite): EnvPlan {
  const { before, after } = rewrite;
  const [old, current] = [valuesOf(parseEnvDocument(before)), valuesOf(parseEnvDocument(after))];
  const changed = [...new Set([...old.keys(), ...current.keys()])].filter((key) => old.get(key) !== current.get(key));
  const warnings = findNewIssues(contract, rewrite, changed);
  const errors = warnings.filter(({ severity }) => severity === "error");
  const issues = sortIssues([...foreignKeyIssues(contract, changed, "values"), ...errors]);
  if (issues.length > 0) throw refusal("INVALID_PAYLOAD", issues);
  return { text: rewrite.after, changedKeys: changed, ignoredKeys: [], changes: [], warnings };
}

function findNewIssues(contract: RuntimeContract, rewrite: Rewrite, changed: readonly string[]): Issue[] {
  const { before, after, below, fileName } = rewrite;
  const previousCounts = new Map<string, number>();
  for (const issue of checkEnvFiles(contract, [...below, { text: before, fileName }]))
    previousCounts.set(issueKey(issue), (previousCounts.get(issueKey(issue)) ?? 0) + 1);
  return checkEnvFiles(contract, [...below, { text: after, fileName }]).filter((issue) => {
    const remaining = previousCounts.get(issueKey(issue)) ?? 0;
    previousCounts.set(issueKey(issue), remaining - 1);
    return remaining <= 0 || (VALUE_CODES.has(issue.code) && changed.includes(String(issue.path[0])));
  });
}

const VALUE_CODES: ReadonlySet<string> = new Set(valueRules.map(({ code }) => code));

/** An edit moves lines, so locations are not compared. */
function issueKey({ code, path, at }: Issue): string {
  return [code, at?.file, ...path].join(" ");
}

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
