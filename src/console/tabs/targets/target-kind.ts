import { textOf } from "../../../core/deployments/candidate.ts";
import { changedTarget, newTarget, targetCopy } from "../../../core/deployments/edit/target.ts";
import { targetFields } from "../../../core/deployments/fields.ts";
import { targetDefaults } from "../../../core/deployments/migrate.ts";
import { entryIssues, listVerdicts } from "../../../core/deployments/validate.ts";
import { groupOf, type Vocabulary } from "../../../core/deployments/vocabulary.ts";
import type { EntryKind } from "../../state/entry-kind.ts";
import type { Values } from "../../state/form.ts";

/** Deploy targets. @see the specification, "Deploy target list behaviour" */
export function targetKind(vocabulary: Vocabulary): EntryKind {
  return {
    section: "deployments",
    noun: "deploy target",
    fields: targetFields,
    blank: { deployTarget: Object.keys(vocabulary.matrix.deployTargets)[0] ?? "" },
    nameOf: (entry) => textOf(entry, "name"),
    chosen: (values, field) => withProfile(values, field, vocabulary),
    withDefaults: (values) => ({ ...targetDefaults(values, vocabulary), ...values }),
    added: (values) => newTarget(values, vocabulary),
    changed: (before, edit) => changedTarget(before, edit, vocabulary),
    copied: targetCopy,
    issues: (candidate, others) => entryIssues("deployments", candidate, others, vocabulary),
    verdicts: (entries) => listVerdicts("deployments", entries, vocabulary),
  };
}

/** Clears the profile of a target that PM2 does not manage, and proposes one again when it does. */
function withProfile(values: Values, field: string, vocabulary: Vocabulary): Values {
  if (groupOf(vocabulary, values["deployTarget"])?.pm2Managed === false) return { ...values, pm2Profile: "" };
  if (field !== "deployTarget" || values["pm2Profile"]) return values;
  return { ...values, pm2Profile: targetDefaults(values, vocabulary)["pm2Profile"] ?? "" };
}
