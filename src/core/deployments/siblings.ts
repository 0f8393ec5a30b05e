import type { Candidate } from "./candidate.ts";

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
