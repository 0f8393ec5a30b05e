import { changedTarget, newTarget, targetCopy } from "../../../core/deployments/edit/target.ts";
import { targetDefaults } from "../../../core/deployments/migrate.ts";
import { textOf } from "../../../core/deployments/candidate.ts";
import { fieldsOf } from "../../../core/deployments/shape.ts";
import { deployTargetIssues, listVerdicts } from "../../../core/deployments/validate.ts";
import { groupOf, type Vocabulary } from "../../../core/deployments/vocabulary.ts";
import type { EntryKind, Values } from "../../state/entry-kind.ts";

/** Deploy targets. @see the specification, "Deploy target list behaviour" */
export function targetKind(vocabulary: Vocabulary): EntryKind {
  return {
    section: "deployments",
    noun: "deploy target",
    fields: fieldsOf("deployments"),
    typed: ["name", "region", "runtime"],
    blank: { deployTarget: Object.keys(vocabulary.matrix.deployTargets)[0] ?? "" },
    nameOf: (entry) => textOf(entry, "name"),
    chosen: (values, field) => withProfile(values, field, vocabulary),
    withDefaults: (values) => ({ ...targetDefaults(values, vocabulary), ...values }),
    added: (values) => newTarget(values, vocabulary),
    changed: (before, asked) => changedTarget(before, asked, vocabulary),
    copied: targetCopy,
    issues: (candidate, others) => deployTargetIssues(candidate, others, vocabulary),
    verdicts: (entries) => listVerdicts("deployments", entries, vocabulary),
  };
}

/** Only what PM2 manages has a profile: elsewhere it is cleared, and comes back as the default. */
function withProfile(values: Values, field: string, vocabulary: Vocabulary): Values {
  const group = groupOf(vocabulary, values["deployTarget"]);
  const { pm2Profile, ...others } = values;
  if (group?.pm2Managed === false) return others;
  if (field !== "deployTarget" || pm2Profile) return values;
  const proposed = targetDefaults(values, vocabulary)["pm2Profile"];
  return proposed === undefined ? values : { ...values, pm2Profile: proposed };
}
