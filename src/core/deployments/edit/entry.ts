import type { Issue } from "../../api/issue.ts";
import type { Change } from "../../yaml/splice/change.ts";
import { type Candidate, textField } from "../candidate.ts";
import { fieldNames, type ListSection } from "../shape.ts";
import { entryIssues } from "../validate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import {
  refuseUnknownFields,
  changedKeys,
  entriesOf,
  type IndexedEntry,
  prefixPaths,
  refuseIssues,
  splitIssues,
  type DocumentEdit,
} from "./edit.ts";

export type Values = Readonly<Record<string, string>>;

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

export function appendEntry({ section, name }: EntryKind, entry: Candidate): DocumentEdit {
  return {
    changes: [{ kind: "append", path: [section], value: entry }],
    target: textField(entry, name),
    keys: Object.keys(entry),
    entry,
  };
}

export function nextPath({ section }: EntryKind, document: unknown): Issue["path"] {
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

export function toEntry({ entry }: IndexedEntry): Candidate {
  return entry;
}
