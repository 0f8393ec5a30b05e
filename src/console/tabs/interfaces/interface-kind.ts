import { newInterface } from "../../../core/suite/edit/interface.ts";
import { textOf } from "../../../core/suite/rule.ts";
import { fieldsOf } from "../../../core/suite/shape.ts";
import { interfaceIssues } from "../../../core/suite/validate.ts";
import type { Vocabulary } from "../../../core/suite/vocabulary.ts";
import type { EntryKind } from "../../state/entry-kind.ts";

/** Interface adapters. @see the specification, "Interface adapter" */
export function interfaceKind(vocabulary: Vocabulary): EntryKind {
  return {
    section: "interfaces",
    noun: "interface adapter",
    fields: fieldsOf("interfaces"),
    blank: { type: Object.keys(vocabulary.matrix.interfaceTypes)[0] ?? "" },
    nameOf: (entry) => textOf(entry, "controller"),
    chosen: (values) => values,
    withDefaults: (values) => values,
    added: newInterface,
    changed(before, { values, clear }) {
      const kept = Object.entries(before).filter(([field]) => !clear.includes(field));
      return { ...Object.fromEntries(kept), ...values };
    },
    issues: (candidate, others) => interfaceIssues(candidate, others, vocabulary),
  };
}
