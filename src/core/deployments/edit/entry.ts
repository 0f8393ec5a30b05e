import type { Issue } from "../../api/issue.ts";
import type { Change } from "../../yaml/splice/change.ts";
import { type Candidate, textField, foldName, type Vocabulary } from "../file.ts";
import {
  fieldNames,
  type ListSection,
  DOCUMENT_VERSION,
  isLegacyTarget,
  migrateTarget,
  targetDefaults,
  withoutEmptyProfile,
  isOutdatedTarget,
} from "../shape.ts";
import { entryIssues } from "../validate.ts";
import {
  refuseUnknownFields,
  changedKeys,
  entriesOf,
  type IndexedEntry,
  prefixPaths,
  refuseIssues,
  splitIssues,
  type DocumentEdit,
  entryChanges,
  findEntry,
  documentMap,
} from "./edit.ts";
import { SvcmError } from "../../api/errors.ts";

type Values = Readonly<Record<string, string>>;

export interface EntryEdit {
  readonly values: Values;
  readonly clear: readonly string[];
}

export interface EntryKind {
  readonly section: ListSection;
  readonly name: string;
  /** @throws {SvcmError} NOT_FOUND, or INVALID_PAYLOAD if several entries have the name */
  find(entries: readonly IndexedEntry[], query: string): IndexedEntry;
  create(values: Values, vocabulary: Vocabulary): Candidate;
  update(before: Candidate, edit: EntryEdit, vocabulary: Vocabulary): Candidate;
  changes(path: Issue["path"], before: Candidate, after: Candidate): Change[];
}

export function addEntry(kind: EntryKind, document: unknown, values: Values, vocabulary: Vocabulary): DocumentEdit {
  const entry = kind.create(values, vocabulary);
  const others = entriesOf(document, kind.section).map(toEntry);
  refuseIssues(entryIssues(kind.section, entry, others, vocabulary), nextPath(kind, document));
  return { ...appendEntry(kind, entry), defaults: Object.keys(entry).filter((field) => !Object.hasOwn(values, field)) };
}

export function editEntry(
  kind: EntryKind,
  document: unknown,
  { query, values, clear }: EntryEdit & { readonly query: string },
  vocabulary: Vocabulary,
): DocumentEdit {
  const entries = entriesOf(document, kind.section);
  const { entry: before, index } = kind.find(entries, query);
  const path = [kind.section, index];
  const target = textField(before, kind.name);
  refuseUnknownFields(clear, before, fieldNames(kind.section), path);
  const isSame =
    clear.every((field) => before[field] === undefined) &&
    Object.entries(values).every(([field, value]) => before[field] === value);
  if (isSame) return { changes: [], target, keys: [], entry: before };

  const entry = kind.update(before, { values, clear }, vocabulary);
  const others = entries.filter((other) => other.index !== index).map(toEntry);
  const { refused, tolerated } = splitIssues(entryIssues(kind.section, entry, others, vocabulary), before);
  refuseIssues(refused, path);
  return {
    changes: kind.changes(path, before, entry),
    target,
    keys: changedKeys(before, entry),
    before,
    entry,
    defaults: Object.keys(entry).filter((field) => !Object.hasOwn(before, field) && !Object.hasOwn(values, field)),
    issues: prefixPaths(tolerated, path),
  };
}

export function removeEntry(kind: EntryKind, document: unknown, query: string): DocumentEdit {
  const { entry, index } = kind.find(entriesOf(document, kind.section), query);
  return {
    changes: [{ kind: "delete", path: [kind.section, index] }],
    target: textField(entry, kind.name),
    keys: Object.keys(entry),
  };
}

function appendEntry({ section, name }: EntryKind, entry: Candidate): DocumentEdit {
  return {
    changes: [{ kind: "append", path: [section], value: entry }],
    target: textField(entry, name),
    keys: Object.keys(entry),
    entry,
  };
}

function nextPath({ section }: EntryKind, document: unknown): Issue["path"] {
  const list = (document as Readonly<Record<string, unknown>> | undefined)?.[section];
  return [section, Array.isArray(list) ? list.length : 0];
}

export function mergeEdit(before: Candidate, { values, clear }: EntryEdit): Candidate {
  const remaining = Object.entries(before).filter(([field]) => !clear.includes(field));
  return { ...Object.fromEntries(remaining), ...values };
}

export function sortFields(section: ListSection, entry: Candidate): Candidate {
  const order = fieldNames(section);
  const ordered = order.filter((field) => entry[field] !== undefined);
  const others = Object.keys(entry).filter((field) => !order.includes(field));
  return Object.fromEntries([...ordered, ...others].map((field) => [field, entry[field]]));
}

function toEntry({ entry }: IndexedEntry): Candidate {
  return entry;
}

const INTERFACE_WORDS = {
  noun: "interface adapter",
  notFound: "INTERFACE_NOT_FOUND",
  ambiguous: "INTERFACE_AMBIGUOUS",
} as const;

export const interfaceKind: EntryKind = {
  section: "interfaces",
  name: "controller",
  find: findInterface,
  create: createInterface,
  update: mergeEdit,
  changes: (path, before, after) => entryChanges(path, before, after, fieldNames("interfaces")),
};

export function createInterface(values: Values): Candidate {
  return sortFields("interfaces", values);
}

function findInterface(entries: readonly IndexedEntry[], query: string): IndexedEntry {
  if (!/^\d+$/.test(query.trim())) return findEntry(entries, "controller", query, INTERFACE_WORDS);
  const found = entries.find(({ index }) => index === Number(query) - 1);
  if (found) return found;
  throw new SvcmError("NOT_FOUND", {
    code: INTERFACE_WORDS.notFound,
    details: `No interface adapter has the number ${query.trim()}; there ${entries.length === 1 ? "is 1" : `are ${entries.length}`}.`,
    hint: "svcm interfaces list shows them",
  });
}

/** @see the specification, "Deploy target list behaviour" */

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
function targetChanges(path: Issue["path"], before: Candidate, after: Candidate): Change[] {
  const order = fieldNames("deployments");
  if (!isLegacyTarget(before) || isLegacyTarget(after)) return entryChanges(path, before, after, order);
  const { type: _, ...oldFields } = before;
  const { deployTarget, ...newFields } = after;
  const renamed: Change = { kind: "rename", path: [...path, "type"], to: "deployTarget", value: deployTarget };
  // `type` may be anywhere in the entry, so later fields go to the end.
  return [renamed, ...entryChanges(path, oldFields, newFields, order)];
}

/** Values that the matrix does not have stay and are reported. @see the specification, "Versioning" 2 */
export function migrateDocument(document: unknown, vocabulary: Vocabulary): DocumentEdit {
  const entries = entriesOf(document, "deployments");
  const outdated = entries.filter(({ entry }) => isOutdatedTarget(entry));
  const isVersioned = documentMap(document)["version"] !== undefined;
  const version: Change[] = isVersioned ? [] : [{ kind: "prepend", path: ["version"], value: DOCUMENT_VERSION }];
  const names = outdated.map(({ entry, index }) => textField(entry, "name") || `deployments[${index}]`);
  return {
    changes: [
      ...version,
      ...outdated.flatMap(({ entry, index }) =>
        targetChanges(["deployments", index], entry, migrateTarget(entry, vocabulary)),
      ),
    ],
    target: names.length > 20 ? `${names.length} deploy targets` : names.join(", "),
    keys: isVersioned ? [] : ["version"],
    issues: outdated.flatMap(({ entry, index }) =>
      prefixPaths(entryIssues("deployments", entry, [], vocabulary), ["deployments", index]),
    ),
  };
}
