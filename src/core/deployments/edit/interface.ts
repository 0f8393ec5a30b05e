import { SvcmError } from "../../api/errors.ts";
import type { Candidate } from "../candidate.ts";
import { fieldNames } from "../shape.ts";
import { entryChanges, type IndexedEntry, findEntry } from "./edit.ts";
import { type EntryKind, sortFields, type Values, mergeEdit } from "./entry.ts";

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
