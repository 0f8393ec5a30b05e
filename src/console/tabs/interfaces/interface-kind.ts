import { textOf } from "../../../core/deployments/candidate.ts";
import { withEdit } from "../../../core/deployments/edit/entry.ts";
import { newInterface } from "../../../core/deployments/edit/interface.ts";
import { interfaceFields } from "../../../core/deployments/fields.ts";
import { entryIssues, listVerdicts } from "../../../core/deployments/validate.ts";
import { entryOf, valuesOf, type Vocabulary } from "../../../core/deployments/vocabulary.ts";
import type { EntryKind } from "../../state/entry-kind.ts";
import type { Values } from "../../state/form.ts";

/** Interface adapters. @see the specification, "Interface adapter" */
export function interfaceKind(vocabulary: Vocabulary): EntryKind {
  return {
    section: "interfaces",
    noun: "interface adapter",
    fields: interfaceFields,
    blank: { type: Object.keys(vocabulary.matrix.interfaceTypes)[0] ?? "" },
    nameOf: (entry) => textOf(entry, "controller"),
    chosen: (values) => values,
    withDefaults: (values) => withFramework(values, vocabulary),
    added: (values) => newInterface(withFramework(values, vocabulary)),
    changed: withEdit,
    issues: (candidate, others) => entryIssues("interfaces", candidate, others, vocabulary),
    verdicts: (entries) => listVerdicts("interfaces", entries, vocabulary),
  };
}

/** Chooses the framework of a type that only one framework serves. */
function withFramework(values: Values, vocabulary: Vocabulary): Values {
  const type = entryOf(vocabulary.matrix.interfaceTypes, values["type"]);
  const [only, second] = type ? valuesOf(vocabulary, type.frameworks) : [];
  return only === undefined || second !== undefined ? values : { framework: only, ...values };
}
