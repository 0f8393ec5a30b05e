import { SvcmError } from "../../errors.ts";
import type { Candidate } from "../candidate.ts";
import { fieldsOf } from "../shape.ts";
import { entryChanges, type Located, namedEntry } from "./edit.ts";
import { type EntryKind, inOrder, type Values, withEdit } from "./entry.ts";

const WORDS = { noun: "interface adapter", notFound: "INTERFACE_NOT_FOUND", ambiguous: "INTERFACE_AMBIGUOUS" } as const;

export const interfaceKind: EntryKind = {
  section: "interfaces",
  name: "controller",
  find: interfaceAt,
  added: newInterface,
  changed: withEdit,
  changes: (path, before, after) => entryChanges(path, before, after, fieldsOf("interfaces")),
};

export function newInterface(values: Values): Candidate {
  return inOrder("interfaces", values);
}

function interfaceAt(entries: readonly Located[], which: string): Located {
  if (!/^\d+$/.test(which.trim())) return namedEntry(entries, "controller", which, WORDS);
  const found = entries.find(({ index }) => index === Number(which) - 1);
  if (found) return found;
  throw new SvcmError("NOT_FOUND", {
    code: WORDS.notFound,
    details: `No interface adapter has the number ${which.trim()}; there ${entries.length === 1 ? "is 1" : `are ${entries.length}`}.`,
    hint: "svcm interfaces list shows them",
  });
}
