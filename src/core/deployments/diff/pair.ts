export interface Pairing<T> {
  readonly pairs: readonly Pair<T>[];
  readonly removed: readonly Indexed<T>[];
  readonly added: readonly Indexed<T>[];
}

export interface Pair<T> {
  readonly from: Indexed<T>;
  readonly to: Indexed<T>;
}

export interface Indexed<T> {
  readonly entry: T;
  readonly index: number;
}

export type KeyOf<T> = (entry: T) => string | undefined;

/** The most certain keys first. Entries with the same key are paired in their order, so the result is symmetric. */
export function pairByKeys<T>(from: readonly T[], to: readonly T[], keys: readonly KeyOf<T>[]): Pairing<T> {
  let pairing: Pairing<T> = { pairs: [], removed: from.map(toIndexed), added: to.map(toIndexed) };
  for (const keyOf of keys) {
    const found = findPairs(pairing.removed, pairing.added, keyOf);
    pairing = addPairs(pairing, found);
  }
  return pairing;
}

export function addPairs<T>({ pairs, removed, added }: Pairing<T>, found: readonly Pair<T>[]): Pairing<T> {
  const [olds, news] = [new Set(found.map(({ from }) => from)), new Set(found.map(({ to }) => to))];
  return {
    pairs: [...pairs, ...found],
    removed: removed.filter((entry) => !olds.has(entry)),
    added: added.filter((entry) => !news.has(entry)),
  };
}

/** In the new order; removed entries come last. An equal pair has no change. */
export function pairingChanges<T, Result>(
  { pairs, removed, added }: Pairing<T>,
  toChange: (before: T | undefined, after: T | undefined) => Result | undefined,
): Result[] {
  const present = [...pairs, ...added.map((to) => ({ from: undefined, to }))];
  return [
    ...present.toSorted((a, b) => a.to.index - b.to.index).map(({ from, to }) => toChange(from?.entry, to.entry)),
    ...removed.map(({ entry }) => toChange(entry, undefined)),
  ].filter((change) => change !== undefined);
}

export function isReordered<T>({ pairs }: Pairing<T>): boolean {
  const olds = pairs.toSorted((a, b) => a.to.index - b.to.index).map(({ from }) => from.index);
  return olds.some((index, position) => position > 0 && index < (olds[position - 1] ?? 0));
}

function findPairs<T>(removed: readonly Indexed<T>[], added: readonly Indexed<T>[], keyOf: KeyOf<T>): Pair<T>[] {
  const waiting = new Map<string, Indexed<T>[]>();
  for (const old of removed) {
    const key = keyOf(old.entry);
    if (key === undefined) continue;
    const list = waiting.get(key);
    if (list) list.push(old);
    else waiting.set(key, [old]);
  }
  // `pop` is fast even for a long list of equal keys.
  for (const list of waiting.values()) list.reverse();
  return added.flatMap((to) => {
    const key = keyOf(to.entry);
    const old = key === undefined ? undefined : waiting.get(key)?.pop();
    return old ? [{ from: old, to }] : [];
  });
}

function toIndexed<T>(entry: T, index: number): Indexed<T> {
  return { entry, index };
}
