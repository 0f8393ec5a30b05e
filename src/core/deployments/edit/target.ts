/** @see the specification, "Deploy target list behaviour" */
import type { Issue } from "../../api/issue.ts";
import type { Change } from "../../yaml/splice/change.ts";
import { isLegacyTarget, migrateTarget, targetDefaults, withoutEmptyProfile } from "../migrate.ts";
import { foldName, type Candidate, textField } from "../candidate.ts";
import { fieldNames } from "../shape.ts";
import { entryIssues } from "../validate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { entriesOf, entryChanges, findEntry, prefixPaths, refuseIssues, type DocumentEdit } from "./edit.ts";
import {
  appendEntry,
  type EntryEdit,
  type EntryKind,
  sortFields,
  nextPath,
  toEntry,
  type Values,
  mergeEdit,
} from "./entry.ts";

const TARGET_WORDS = { noun: "deploy target", notFound: "TARGET_NOT_FOUND", ambiguous: "TARGET_AMBIGUOUS" } as const;

export const targetKind: EntryKind = {
  section: "deployments",
  name: "name",
  find: (entries, query) => findEntry(entries, "name", query, TARGET_WORDS),
  create: createTarget,
  update: updateTarget,
  changes: targetChanges,
};

export function duplicateTarget(
  document: unknown,
  request: { readonly name: string; readonly as?: string | undefined },
  vocabulary: Vocabulary,
): DocumentEdit {
  const entries = entriesOf(document, "deployments");
  const { entry: source } = targetKind.find(entries, request.name);
  const all = entries.map(toEntry);
  const entry = copyTarget(source, all, request.as);
  const path = nextPath(targetKind, document);
  const issues = entryIssues("deployments", entry, all, vocabulary);
  refuseIssues(
    issues.filter((issue) => issue.path[0] === "name"),
    path,
  );
  return { ...appendEntry(targetKind, entry), issues: prefixPaths(issues, path) };
}

export function createTarget(values: Values, vocabulary: Vocabulary): Candidate {
  const provided = withoutEmptyProfile(values);
  return sortFields("deployments", { ...targetDefaults(provided, vocabulary), ...provided });
}

export function updateTarget(before: Candidate, edit: EntryEdit, vocabulary: Vocabulary): Candidate {
  return withoutEmptyProfile(mergeEdit(migrateTarget(before, vocabulary), edit));
}

export function copyTarget(source: Candidate, all: readonly Candidate[], as?: string): Candidate {
  const names = all.map((entry) => textField(entry, "name"));
  return { ...structuredClone(source), name: as ?? copyName(textField(source, "name"), names) };
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
export function targetChanges(path: Issue["path"], before: Candidate, after: Candidate): Change[] {
  const order = fieldNames("deployments");
  if (!isLegacyTarget(before) || isLegacyTarget(after)) return entryChanges(path, before, after, order);
  const { type: _, ...oldFields } = before;
  const { deployTarget, ...newFields } = after;
  const renamed: Change = { kind: "rename", path: [...path, "type"], to: "deployTarget", value: deployTarget };
  // `type` may be anywhere in the entry, so later fields go to the end.
  return [renamed, ...entryChanges(path, oldFields, newFields, order)];
}
