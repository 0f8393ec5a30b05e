import { quoteValue } from "../findings/text.ts";
import { withAccepted, type Finding, type Rule as RuleOf } from "../findings/rule.ts";
import type { Candidate, Vocabulary } from "./file.ts";

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

export type KeyOf = (entry: Candidate) => string | undefined;

/** With an index, validating a list takes linear time. */
export class Siblings {
  readonly #entries: Candidate[] = [];
  readonly #indexes = new Map<KeyOf, Set<string>>();

  static of(entries: Iterable<Candidate>): Siblings {
    const siblings = new Siblings();
    for (const entry of entries) siblings.add(entry);
    return siblings;
  }

  add(entry: Candidate): void {
    this.#entries.push(entry);
    for (const [keyOf, index] of this.#indexes) addKey(index, keyOf(entry));
  }

  has(candidate: Candidate, keyOf: KeyOf): boolean {
    const key = keyOf(candidate);
    return key !== undefined && this.#indexOf(keyOf).has(key);
  }

  #indexOf(keyOf: KeyOf): Set<string> {
    const existing = this.#indexes.get(keyOf);
    if (existing) return existing;
    const index = new Set<string>();
    for (const entry of this.#entries) addKey(index, keyOf(entry));
    this.#indexes.set(keyOf, index);
    return index;
  }
}

function addKey(index: Set<string>, key: string | undefined): void {
  if (key !== undefined) index.add(key);
}
