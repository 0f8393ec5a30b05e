/** @see the specification, "Deploy target list behaviour" */
import type { Change } from "../../yaml/splice/change.ts";
import { isLegacyTarget, migrateTarget, targetDefaults, withoutEmptyProfile } from "../migrate.ts";
import { foldName } from "../name.ts";
import { type Candidate, textField } from "../candidate.ts";
import { fieldsOf } from "../shape.ts";
import { entryIssues } from "../validate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { entriesOf, entryChanges, namedEntry, placed, refuseIssues, type DocumentEdit } from "./edit.ts";
import { appended, type EntryEdit, type EntryKind, inOrder, newPath, toEntry, type Values, withEdit } from "./entry.ts";

const WORDS = { noun: "deploy target", notFound: "TARGET_NOT_FOUND", ambiguous: "TARGET_AMBIGUOUS" } as const;

export const targetKind: EntryKind = {
  section: "deployments",
  name: "name",
  find: (entries, which) => namedEntry(entries, "name", which, WORDS),
  added: newTarget,
  changed: changedTarget,
  changes: targetChanges,
};

export function duplicateTarget(
  document: unknown,
  asked: { readonly name: string; readonly as?: string | undefined },
  vocabulary: Vocabulary,
): DocumentEdit {
  const entries = entriesOf(document, "deployments");
  const { entry: source } = targetKind.find(entries, asked.name);
  const all = entries.map(toEntry);
  const entry = targetCopy(source, all, asked.as);
  const path = newPath(targetKind, document);
  const issues = entryIssues("deployments", entry, all, vocabulary);
  refuseIssues(
    issues.filter((issue) => issue.path[0] === "name"),
    path,
  );
  return { ...appended(targetKind, entry), left: placed(issues, path) };
}

export function newTarget(values: Values, vocabulary: Vocabulary): Candidate {
  const given = withoutEmptyProfile(values);
  return inOrder("deployments", { ...targetDefaults(given, vocabulary), ...given });
}

export function changedTarget(before: Candidate, edit: EntryEdit, vocabulary: Vocabulary): Candidate {
  return withoutEmptyProfile(withEdit(migrateTarget(before, vocabulary), edit));
}

export function targetCopy(source: Candidate, all: readonly Candidate[], as?: string): Candidate {
  const taken = all.map((entry) => textField(entry, "name"));
  return { ...structuredClone(source), name: as ?? copyName(textField(source, "name"), taken) };
}

/** Ignoring case. @see CONTRACT section 1 */
export function copyName(name: string, taken: readonly string[]): string {
  const names = new Set(taken.map(foldName));
  const base = name.trim() || "target";
  for (let number = 1; ; number++) {
    const copy = number === 1 ? `${base} (copy)` : `${base} (copy ${number})`;
    if (!names.has(foldName(copy))) return copy;
  }
}

/** `deployTarget` replaces a legacy `type` in its position. */
export function targetChanges(path: readonly (string | number)[], before: Candidate, after: Candidate): Change[] {
  const order = fieldsOf("deployments");
  if (!isLegacyTarget(before) || isLegacyTarget(after)) return entryChanges(path, before, after, order);
  const { type: _, ...kept } = before;
  const { deployTarget, ...rest } = after;
  const renamed: Change = { kind: "rename", path: [...path, "type"], to: "deployTarget", value: deployTarget };
  // `type` may be anywhere in the entry, so later fields go to the end.
  return [renamed, ...entryChanges(path, kept, rest, order)];
}
