/** @see the specification, "Deploy target list behaviour" */
import type { Change } from "../../yaml/splice/change.ts";
import { isLegacyTarget, migrateTarget, targetDefaults, withoutEmptyProfile } from "../migrate.ts";
import { foldName } from "../name.ts";
import { type Candidate, textOf } from "../candidate.ts";
import { fieldsOf } from "../shape.ts";
import { deployTargetIssues } from "../validate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { refuseUnknownFields } from "./clear.ts";
import {
  changedKeys,
  entriesOf,
  entryChanges,
  type Located,
  namedEntry,
  placed,
  refuseIssues,
  splitKnown,
  type DocumentEdit,
} from "./edit.ts";

type Values = Readonly<Record<string, string>>;

const WORDS = { noun: "deploy target", notFound: "TARGET_NOT_FOUND", ambiguous: "TARGET_AMBIGUOUS" } as const;

export function addTarget(document: unknown, values: Values, vocabulary: Vocabulary): DocumentEdit {
  const entries = entriesOf(document, "deployments");
  const entry = newTarget(values, vocabulary);
  refuseIssues(deployTargetIssues(entry, entries.map(toEntry), vocabulary), ["deployments", lengthOf(document)]);
  return {
    changes: [{ kind: "append", path: ["deployments"], value: entry }],
    target: textOf(entry, "name"),
    keys: Object.keys(entry),
    entry,
    defaults: Object.keys(entry).filter((field) => !Object.hasOwn(values, field)),
  };
}

/** Migrates a legacy target and keeps unknown keys. */
export function editTarget(
  document: unknown,
  asked: { readonly name: string; readonly values: Values; readonly clear: readonly string[] },
  vocabulary: Vocabulary,
): DocumentEdit {
  const entries = entriesOf(document, "deployments");
  const located = namedEntry(entries, "name", asked.name, WORDS);
  const { entry: before, index } = located;
  refuseUnknownFields(asked.clear, before, fieldsOf("deployments"), ["deployments", index]);
  const path = ["deployments", index];
  const isSame =
    asked.clear.every((field) => before[field] === undefined) &&
    Object.entries(asked.values).every(([field, value]) => before[field] === value);
  if (isSame) return { changes: [], target: textOf(before, "name"), keys: [], entry: before };

  const entry = changedTarget(before, asked, vocabulary);
  const { bad, left } = splitKnown(deployTargetIssues(entry, othersOf(entries, located), vocabulary), before);
  refuseIssues(bad, path);
  return {
    changes: targetChanges(path, before, entry),
    target: textOf(before, "name"),
    keys: changedKeys(before, entry),
    before,
    entry,
    ...(isLegacyTarget(before) && {
      defaults: addedFields(before, entry).filter((field) => !Object.hasOwn(asked.values, field)),
    }),
    left: placed(left, path),
  };
}

export function duplicateTarget(
  document: unknown,
  asked: { readonly name: string; readonly as?: string | undefined },
  vocabulary: Vocabulary,
): DocumentEdit {
  const entries = entriesOf(document, "deployments");
  const { entry: source } = namedEntry(entries, "name", asked.name, WORDS);
  const all = entries.map(toEntry);
  const entry = targetCopy(source, all, asked.as);
  const name = textOf(entry, "name");
  // The copy keeps the issues of its source; only its name must be valid.
  const issues = deployTargetIssues(entry, all, vocabulary);
  refuseIssues(
    issues.filter(({ path }) => path[0] === "name"),
    ["deployments", lengthOf(document)],
  );
  return {
    changes: [{ kind: "append", path: ["deployments"], value: entry }],
    target: name,
    keys: Object.keys(entry),
    entry,
    left: placed(issues, ["deployments", lengthOf(document)]),
  };
}

export function removeTarget(document: unknown, asked: string): DocumentEdit {
  const { entry, index } = namedEntry(entriesOf(document, "deployments"), "name", asked, WORDS);
  return {
    changes: [{ kind: "delete", path: ["deployments", index] }],
    target: textOf(entry, "name"),
    keys: Object.keys(entry),
  };
}

export function newTarget(values: Values, vocabulary: Vocabulary): Candidate {
  const given = withoutEmptyProfile(values);
  return inOrder({ ...targetDefaults(given, vocabulary), ...given });
}

export function changedTarget(
  before: Candidate,
  asked: { readonly values: Values; readonly clear: readonly string[] },
  vocabulary: Vocabulary,
): Candidate {
  const kept = Object.entries(migrateTarget(before, vocabulary)).filter(([field]) => !asked.clear.includes(field));
  return withoutEmptyProfile({ ...Object.fromEntries(kept), ...asked.values });
}

export function targetCopy(source: Candidate, all: readonly Candidate[], as?: string): Candidate {
  const taken = all.map((entry) => textOf(entry, "name"));
  return { ...structuredClone(source), name: as ?? copyName(textOf(source, "name"), taken) };
}

/** The first unused name of `<name> (copy)`, `<name> (copy 2)` and so on, ignoring case. @see CONTRACT section 1 */
export function copyName(name: string, taken: readonly string[]): string {
  const names = new Set(taken.map(foldName));
  const base = name.trim() || "target";
  for (let number = 1; ; number++) {
    const copy = number === 1 ? `${base} (copy)` : `${base} (copy ${number})`;
    if (!names.has(foldName(copy))) return copy;
  }
}

/** Like {@link entryChanges}; `deployTarget` takes the place of a legacy `type`. */
export function targetChanges(path: readonly (string | number)[], before: Candidate, after: Candidate): Change[] {
  const order = fieldsOf("deployments");
  if (!isLegacyTarget(before) || isLegacyTarget(after)) return entryChanges(path, before, after, order);
  const { type: _, ...kept } = before;
  const { deployTarget, ...rest } = after;
  const renamed: Change = { kind: "rename", path: [...path, "type"], to: "deployTarget", value: deployTarget };
  // `type` may be anywhere, so fields that follow `deployTarget` in order go to the end.
  return [renamed, ...entryChanges(path, kept, rest, order)];
}

export function addedFields(before: Candidate, after: Candidate): string[] {
  return Object.keys(after).filter((field) => !Object.hasOwn(before, field));
}

function inOrder(entry: Candidate): Candidate {
  const order = fieldsOf("deployments");
  const known = order.filter((field) => entry[field] !== undefined);
  const others = Object.keys(entry).filter((field) => !order.includes(field));
  return Object.fromEntries([...known, ...others].map((field) => [field, entry[field]]));
}

function othersOf(entries: readonly Located[], { index }: Located): Candidate[] {
  return entries.filter((other) => other.index !== index).map(toEntry);
}

function toEntry({ entry }: Located): Candidate {
  return entry;
}

function lengthOf(document: unknown): number {
  const list = (document as { deployments?: unknown } | undefined)?.deployments;
  return Array.isArray(list) ? list.length : 0;
}
