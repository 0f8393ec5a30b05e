import type { Change } from "../../yaml/splice/change.ts";
import { type Candidate, textField } from "../candidate.ts";
import { fieldsOf, type ListSection } from "../shape.ts";
import { entryIssues } from "../validate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { refuseUnknownFields } from "./clear.ts";
import { changedKeys, entriesOf, type Located, placed, refuseIssues, splitKnown, type DocumentEdit } from "./edit.ts";

export type Values = Readonly<Record<string, string>>;

export interface EntryEdit {
  readonly values: Values;
  readonly clear: readonly string[];
}

export interface EntryKind {
  readonly section: ListSection;
  readonly name: string;
  /** @throws {SvcmError} NOT_FOUND, or INVALID_PAYLOAD if several entries have the name */
  find(entries: readonly Located[], which: string): Located;
  added(values: Values, vocabulary: Vocabulary): Candidate;
  changed(before: Candidate, edit: EntryEdit, vocabulary: Vocabulary): Candidate;
  changes(path: readonly (string | number)[], before: Candidate, after: Candidate): Change[];
}

/** An omitted field gets its default. */
export function addEntry(kind: EntryKind, document: unknown, values: Values, vocabulary: Vocabulary): DocumentEdit {
  const entry = kind.added(values, vocabulary);
  const others = entriesOf(document, kind.section).map(toEntry);
  refuseIssues(entryIssues(kind.section, entry, others, vocabulary), newPath(kind, document));
  return { ...appended(kind, entry), defaults: Object.keys(entry).filter((field) => !Object.hasOwn(values, field)) };
}

export function editEntry(
  kind: EntryKind,
  document: unknown,
  { which, values, clear }: EntryEdit & { readonly which: string },
  vocabulary: Vocabulary,
): DocumentEdit {
  const entries = entriesOf(document, kind.section);
  const { entry: before, index } = kind.find(entries, which);
  const path = [kind.section, index];
  const target = textField(before, kind.name);
  refuseUnknownFields(clear, before, fieldsOf(kind.section), path);
  const isSame =
    clear.every((field) => before[field] === undefined) &&
    Object.entries(values).every(([field, value]) => before[field] === value);
  if (isSame) return { changes: [], target, keys: [], entry: before };

  const entry = kind.changed(before, { values, clear }, vocabulary);
  const others = entries.filter((other) => other.index !== index).map(toEntry);
  const { bad, left } = splitKnown(entryIssues(kind.section, entry, others, vocabulary), before);
  refuseIssues(bad, path);
  return {
    changes: kind.changes(path, before, entry),
    target,
    keys: changedKeys(before, entry),
    before,
    entry,
    defaults: Object.keys(entry).filter((field) => !Object.hasOwn(before, field) && !Object.hasOwn(values, field)),
    left: placed(left, path),
  };
}

export function removeEntry(kind: EntryKind, document: unknown, which: string): DocumentEdit {
  const { entry, index } = kind.find(entriesOf(document, kind.section), which);
  return {
    changes: [{ kind: "delete", path: [kind.section, index] }],
    target: textField(entry, kind.name),
    keys: Object.keys(entry),
  };
}

export function appended({ section, name }: EntryKind, entry: Candidate): DocumentEdit {
  return {
    changes: [{ kind: "append", path: [section], value: entry }],
    target: textField(entry, name),
    keys: Object.keys(entry),
    entry,
  };
}

export function newPath({ section }: EntryKind, document: unknown): readonly (string | number)[] {
  const list = (document as Readonly<Record<string, unknown>> | undefined)?.[section];
  return [section, Array.isArray(list) ? list.length : 0];
}

export function withEdit(before: Candidate, { values, clear }: EntryEdit): Candidate {
  const kept = Object.entries(before).filter(([field]) => !clear.includes(field));
  return { ...Object.fromEntries(kept), ...values };
}

export function inOrder(section: ListSection, entry: Candidate): Candidate {
  const order = fieldsOf(section);
  const known = order.filter((field) => entry[field] !== undefined);
  const others = Object.keys(entry).filter((field) => !order.includes(field));
  return Object.fromEntries([...known, ...others].map((field) => [field, entry[field]]));
}

export function toEntry({ entry }: Located): Candidate {
  return entry;
}
