import { quoteValue } from "../findings/quote-value.ts";
import { withAccepted, type Finding, type Rule as RuleOf } from "../findings/rule.ts";

import type { Candidate } from "./candidate.ts";
import type { Siblings } from "./siblings.ts";
import type { Vocabulary } from "./vocabulary.ts";

export interface CheckedEntry {
  readonly entry: Candidate;
  readonly vocabulary: Vocabulary;
  readonly siblings: Siblings;
}

export type Rule = RuleOf<CheckedEntry>;

export function unknownValue(
  entry: Candidate,
  field: string,
  known: readonly string[],
  fitting: readonly string[] = known,
): Finding[] {
  const value = entry[field];
  // Other rules report a missing value and one that is not text.
  if (typeof value !== "string" || known.includes(value)) return [];
  if (known.length === 0) return [undeclaredValues(field)];
  return [notAccepted(field, `${quoteValue(value)} is not known`, fitting.length > 0 ? fitting : known, value)];
}

export function undeclaredValues(field: string): Finding {
  const message = `${field}: config/capability-matrix.yaml declares no values for it; remove the field, or declare its values there`;
  return { path: [field], message };
}

export function notAccepted(field: string, words: string, accepted: readonly string[], value?: unknown): Finding {
  return { path: [field], ...withAccepted(`${field}: ${words}`, accepted, value) };
}

export function missing(field: string, accepted: readonly string[]): Finding {
  return { path: [field], ...withAccepted(`${field} is missing`, accepted) };
}
