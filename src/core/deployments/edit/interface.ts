/** Interface adapters are found by controller mapping or by their number in the list. */
import { SvcmError } from "../../errors.ts";
import { type Candidate, textOf } from "../candidate.ts";
import { fieldsOf } from "../shape.ts";
import { interfaceIssues } from "../validate.ts";
import type { Vocabulary } from "../vocabulary.ts";
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

const WORDS = { noun: "interface adapter", notFound: "INTERFACE_NOT_FOUND", ambiguous: "INTERFACE_AMBIGUOUS" } as const;

export function addInterface(document: unknown, values: Values, vocabulary: Vocabulary): DocumentEdit {
  const entries = entriesOf(document, "interfaces");
  const entry = newInterface(values);
  const issues = interfaceIssues(entry, entries.map(toEntry), vocabulary);
  refuseIssues(issues, ["interfaces", entries.length]);
  return {
    changes: [{ kind: "append", path: ["interfaces"], value: entry }],
    target: textOf(entry, "controller"),
    keys: Object.keys(entry),
    entry,
  };
}

export function editInterface(
  document: unknown,
  asked: { readonly which: string; readonly values: Values },
  vocabulary: Vocabulary,
): DocumentEdit {
  const entries = entriesOf(document, "interfaces");
  const located = interfaceAt(entries, asked.which);
  const path = ["interfaces", located.index];
  const entry: Candidate = { ...located.entry, ...asked.values };
  const target = textOf(located.entry, "controller");
  const keys = changedKeys(located.entry, entry);
  if (keys.length === 0) return { changes: [], target, keys, entry };
  const others = entries.filter(({ index }) => index !== located.index).map(toEntry);
  const { bad, left } = splitKnown(interfaceIssues(entry, others, vocabulary), located.entry);
  refuseIssues(bad, path);
  const changes = entryChanges(path, located.entry, entry, fieldsOf("interfaces"));
  return { changes, target, keys, before: located.entry, entry, left: placed(left, path) };
}

export function removeInterface(document: unknown, which: string): DocumentEdit {
  const { entry, index } = interfaceAt(entriesOf(document, "interfaces"), which);
  return {
    changes: [{ kind: "delete", path: ["interfaces", index] }],
    target: textOf(entry, "controller"),
    keys: Object.keys(entry),
  };
}

export function newInterface(values: Values): Candidate {
  const order = fieldsOf("interfaces");
  const others = Object.keys(values).filter((field) => !order.includes(field));
  const given = [...order, ...others].filter((field) => values[field] !== undefined);
  return Object.fromEntries(given.map((field) => [field, values[field]]));
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

function toEntry({ entry }: Located): Candidate {
  return entry;
}
