import { maskSource } from "../secrets/redact.ts";
import { migrateTarget } from "./migrate.ts";
import type { Candidate } from "./candidate.ts";
import { isRecord } from "../words/record.ts";
import type { Vocabulary } from "./vocabulary.ts";

export function maskDocument(document: unknown, vocabulary: Vocabulary): unknown {
  if (!isRecord(document)) return document;
  const { deployments } = document;
  if (!Array.isArray(deployments)) return maskEntry(document);
  const migrated = deployments.map((entry: unknown) => (isRecord(entry) ? migrateTarget(entry, vocabulary) : entry));
  return maskEntry({ ...document, deployments: migrated });
}

/** Unknown members may also hold secrets. */
export function maskEntry(entry: Candidate): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, maskValue(key, value)]));
}

function maskValue(key: string, value: unknown): unknown {
  if (typeof value === "string") return maskSource(`${key}: ${value}`).slice(key.length + 2);
  if (Array.isArray(value)) return value.map((item) => maskValue(key, item));
  return typeof value === "object" && value !== null ? maskEntry({ ...value }) : value;
}
