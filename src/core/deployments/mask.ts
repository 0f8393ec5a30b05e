import { maskMembers } from "../secrets/member.ts";
import { migrateTarget } from "./migrate.ts";
import { isRecord } from "../words/record.ts";
import type { Vocabulary } from "./vocabulary.ts";

export function maskDocument(document: unknown, vocabulary: Vocabulary): unknown {
  if (!isRecord(document)) return document;
  const { deployments } = document;
  if (!Array.isArray(deployments)) return maskMembers(document);
  const migrated = deployments.map((entry: unknown) => (isRecord(entry) ? migrateTarget(entry, vocabulary) : entry));
  return maskMembers({ ...document, deployments: migrated });
}
