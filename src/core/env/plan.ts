import { sortIssues, type Issue } from "../contract/issue.ts";
import type { KeySpec, RuntimeContract } from "../facts/schema.ts";
import { suggest } from "../report/suggest.ts";
import { effectiveEntry, parseEnvDocument } from "./document.ts";
import { changedLines, setValue, type LineChange } from "./edit.ts";
import { editableKeys, specOf, tierOf, tierReason } from "./tiers.ts";
import { acceptedValues, shownValue, valueProblem } from "./values.ts";

/** What to do with a key outside the allowlist: HTTP ignores it, the command line refuses it. */
export type ForeignKeys = "ignore" | "refuse";

/** A write as decided, before anything is touched: the same computation for `--dry-run` and for the write. */
export interface EnvPlan {
  /** The text after the write; the very same string where nothing changes. */
  readonly text: string;
  readonly changedKeys: readonly string[];
  readonly ignoredKeys: readonly string[];
  /** For people: credentials are masked. */
  readonly changes: readonly KeyChange[];
}

export interface KeyChange extends LineChange {
  readonly key: string;
}

/** Every reason why these values may not be written; none where they may. */
export function assignmentIssues(
  contract: RuntimeContract,
  values: Readonly<Record<string, string>>,
  foreign: ForeignKeys,
): Issue[] {
  const issues = Object.entries(values).flatMap(([key, value]): Issue[] => {
    const spec = editableSpec(contract, key);
    if (!spec) return foreign === "refuse" ? [foreignKeyIssue(contract, key)] : [];
    const problem = valueProblem(key, spec, value);
    if (!problem) return [];
    const { code, ...words } = problem;
    return [{ code, severity: "error", path: ["values", key], ...words }];
  });
  return sortIssues(issues);
}

/**
 * Plans a write of values that {@link assignmentIssues} found good.
 *
 * @throws {UnwritableValue} where the file cannot hold a value so that every reader gives it back.
 */
export function planWrite(contract: RuntimeContract, text: string, values: Readonly<Record<string, string>>): EnvPlan {
  const changes: KeyChange[] = [];
  const ignoredKeys: string[] = [];
  let current = text;
  for (const [key, value] of Object.entries(values)) {
    const spec = editableSpec(contract, key);
    if (!spec) {
      ignoredKeys.push(key);
      continue;
    }
    const next = setValue(current, key, value, { isValue: (held) => acceptedValues(spec).includes(held) });
    const change = changedLines(current, next);
    if (change) changes.push({ key, ...shownChange(spec, change) });
    current = next;
  }
  return { text: current, changedKeys: changes.map(({ key }) => key), ignoredKeys, changes };
}

/** The lines for people: what stands behind `=` as the value may be shown. */
function shownChange(spec: KeySpec, change: LineChange): LineChange {
  const shown = (line: string): string => {
    const start = line.indexOf("=") + 1;
    return line.slice(0, start) + shownValue(spec, line.slice(start));
  };
  return { ...change, before: change.before.map(shown), after: change.after.map(shown) };
}

/** The value that a file holds for a key now, or `undefined`. */
export function heldValue(text: string, key: string): string | undefined {
  return effectiveEntry(parseEnvDocument(text), key)?.value;
}

function editableSpec(contract: RuntimeContract, key: string): KeySpec | undefined {
  const spec = specOf(contract, key);
  return spec?.tier === "editable" ? spec : undefined;
}

function foreignKeyIssue(contract: RuntimeContract, key: string): Issue {
  const accepted = editableKeys(contract);
  const suggestion = specOf(contract, key) ? undefined : suggest(key, accepted);
  return {
    code: "ENV_KEY_NOT_EDITABLE",
    severity: "error",
    path: ["values", key],
    message: `${key} is not editable (${tierOf(contract, key)}): ${tierReason(contract, key)}`,
    accepted,
    ...(suggestion !== undefined && { suggestion }),
  };
}
