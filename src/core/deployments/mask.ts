import { maskMembers, maskMember } from "../secrets/member.ts";
import { migrateTarget } from "./migrate.ts";
import { isRecord } from "../words/record.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { maskCredentials } from "../secrets/redact.ts";
import type { Change, FieldChange } from "./diff/change.ts";

export function maskDocument(document: unknown, vocabulary: Vocabulary): unknown {
  if (!isRecord(document)) return document;
  const { deployments } = document;
  if (!Array.isArray(deployments)) return maskMembers(document);
  const migrated = deployments.map((entry: unknown) => (isRecord(entry) ? migrateTarget(entry, vocabulary) : entry));
  return maskMembers({ ...document, deployments: migrated });
}

/** Runs after the comparison, so that masked values are still compared. */
export function maskChange(change: Change): Change {
  const { name, previousName } = change;
  return {
    ...change,
    ...(name !== undefined && { name: maskCredentials(name) }),
    ...(previousName !== undefined && { previousName: maskCredentials(previousName) }),
    fields: change.fields.map(maskField),
    effects: change.effects.map((effect) =>
      effect.kind === "unknown" ? { ...effect, value: maskMember(effect.field, effect.value) } : effect,
    ),
  };
}

function maskField({ field, ...values }: FieldChange): FieldChange {
  return {
    field: maskCredentials(field),
    ...("from" in values && { from: maskMember(field, values.from) }),
    ...("to" in values && { to: maskMember(field, values.to) }),
  };
}
