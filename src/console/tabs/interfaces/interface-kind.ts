import { newInterface } from "../../../core/deployments/edit/interface.ts";
import { textOf } from "../../../core/deployments/candidate.ts";
import { fieldsOf } from "../../../core/deployments/shape.ts";
import { interfaceIssues, listVerdicts } from "../../../core/deployments/validate.ts";
import { entryOf, valuesOf, type Vocabulary } from "../../../core/deployments/vocabulary.ts";
import type { EntryKind, Values } from "../../state/entry-kind.ts";

/** Interface adapters. @see the specification, "Interface adapter" */
export function interfaceKind(vocabulary: Vocabulary): EntryKind {
  return {
    section: "interfaces",
    noun: "interface adapter",
    fields: fieldsOf("interfaces"),
    typed: ["entrypoint", "controller"],
    blank: { type: Object.keys(vocabulary.matrix.interfaceTypes)[0] ?? "" },
    nameOf: (entry) => textOf(entry, "controller"),
    chosen: (values) => values,
    withDefaults: (values) => withFramework(values, vocabulary),
    added: (values) => newInterface(withFramework(values, vocabulary)),
    changed(before, { values, clear }) {
      const kept = Object.entries(before).filter(([field]) => !clear.includes(field));
      return { ...Object.fromEntries(kept), ...values };
    },
    issues: (candidate, others) => interfaceIssues(candidate, others, vocabulary),
    verdicts: (entries) => listVerdicts("interfaces", entries, vocabulary),
  };
}

/** Where only one framework serves a type, there is nothing to choose. */
function withFramework(values: Values, vocabulary: Vocabulary): Values {
  const type = entryOf(vocabulary.matrix.interfaceTypes, values["type"]);
  const [only, second] = type ? valuesOf(vocabulary, type.frameworks) : [];
  return only === undefined || second !== undefined ? values : { framework: only, ...values };
}
