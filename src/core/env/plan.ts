import { sortIssues, type Issue } from "../api/issue.ts";
import type { KeySpec, RuntimeContract } from "../facts/schema.ts";
import { suggest } from "../words/suggest.ts";
import { effectiveEntry, parseEnvDocument } from "./document.ts";
import type { LineChange } from "../words/line-change.ts";
import { setValues, type KeyEdit } from "./edit.ts";
import { describeUnlisted, editableKeys, specOf, tierOf, tierReason } from "./tiers.ts";
import { expansionProblem, spellingProblem, valueProblem } from "./value-rules.ts";
import { acceptedValues, shownValue } from "./values.ts";

/** The HTTP API ignores a key outside the allowlist; the command line refuses it. */
export type ForeignKeys = "ignore" | "refuse";

export interface EnvPlan {
  readonly text: string;
  readonly changedKeys: readonly string[];
  readonly ignoredKeys: readonly string[];
  /** For display; credentials are masked. */
  readonly changes: readonly KeyChange[];
  readonly warnings: readonly Issue[];
}

export interface KeyChange extends LineChange {
  readonly key: string;
}

export function assignmentIssues(
  contract: RuntimeContract,
  values: Readonly<Record<string, string>>,
  foreign: ForeignKeys,
): Issue[] {
  const issues = Object.entries(values).flatMap(([key, value]): Issue[] => {
    const spec = editableSpec(contract, key);
    if (!spec) return foreign === "refuse" ? foreignKeyIssues(contract, [key], "values") : [];
    const problem = valueProblem(key, spec, value) ?? spellingProblem(key, spec, value);
    return problem ? [{ ...problem, path: ["values", key] }] : [];
  });
  return sortIssues(issues);
}

/**
 * @param assignments accepted by {@link assignmentIssues}
 * @param file the file name in warnings
 * @throws {UnwritableValue}
 */
export function planWrite(
  contract: RuntimeContract,
  text: string,
  values: Readonly<Record<string, string>>,
  file: string,
): EnvPlan {
  const specs = new Map(Object.keys(values).map((key) => [key, editableSpec(contract, key)]));
  const asked = Object.entries(values).flatMap(([key, value]) => {
    const spec = specs.get(key);
    return spec ? [{ key, value, isValue: (held: string) => acceptedValues(spec).includes(held) }] : [];
  });
  const edited = setValues(text, asked);
  return {
    text: edited.text,
    changedKeys: edited.edits.map(({ key }) => key),
    ignoredKeys: Object.keys(values).filter((key) => specs.get(key) === undefined),
    changes: edited.edits.map(({ key, change }) => ({ key, ...shownChange(specs.get(key), change) })),
    warnings: sortIssues(edited.edits.flatMap((edit) => warningsOf(edit, values[edit.key] ?? "", file))),
  };
}

function warningsOf({ key, change, doubts }: KeyEdit, value: string, file: string): Issue[] {
  const expansion = expansionProblem(key, value);
  const warnings = doubts.map(({ line, reason }): Issue => {
    const at = { file, line, column: 1 };
    return { code: "ENV_LINE_AMBIGUOUS", severity: "warning", path: [key], message: `${key}: ${reason}`, at };
  });
  if (!expansion) return warnings;
  return [...warnings, { ...expansion, at: { file, line: change.line, column: 1 } }];
}

export function shownChange(spec: KeySpec | undefined, change: LineChange): LineChange {
  const shown = (line: string): string => {
    const start = line.indexOf("=") + 1;
    return line.slice(0, start) + shownValue(spec, line.slice(start));
  };
  return { ...change, before: change.before.map(shown), after: change.after.map(shown) };
}

export function heldValue(text: string, key: string): string | undefined {
  return effectiveEntry(parseEnvDocument(text), key)?.value;
}

export function editableSpec(contract: RuntimeContract, key: string): KeySpec | undefined {
  const spec = specOf(contract, key);
  return spec?.tier === "editable" ? spec : undefined;
}

/** @param member the member of the request that names the keys */
export function foreignKeyIssues(contract: RuntimeContract, keys: readonly string[], member: string): Issue[] {
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
          ? `${key} is not editable (${tierOf(contract, key)}): ${tierReason(contract, key)}`
          : describeUnlisted(key, "written"),
        accepted,
        suggestion,
      };
    });
}
