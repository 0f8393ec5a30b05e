import { maskSource } from "../secrets/redact.ts";
import { migrateTarget } from "./migrate.ts";
import type { Candidate } from "./candidate.ts";
import { isRecord } from "../words/record.ts";
import type { Vocabulary } from "./vocabulary.ts";

export function shownDocument(document: unknown, vocabulary: Vocabulary): unknown {
  if (!isRecord(document)) return document;
  const { deployments } = document;
  if (!Array.isArray(deployments)) return shownEntry(document);
  const today = deployments.map((entry: unknown) => (isRecord(entry) ? migrateTarget(entry, vocabulary) : entry));
  return shownEntry({ ...document, deployments: today });
}

/** Unknown members may also hold secrets. */
export function shownEntry(entry: Candidate): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, maskedValue(key, value)]));
}

function maskedValue(key: string, value: unknown): unknown {
  if (typeof value === "string") return maskSource(`${key}: ${value}`).slice(key.length + 2);
  if (Array.isArray(value)) return value.map((item) => maskedValue(key, item));
  return typeof value === "object" && value !== null ? shownEntry({ ...value }) : value;
}
