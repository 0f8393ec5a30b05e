export interface Pairing<T> {
  readonly pairs: readonly Pair<T>[];
  readonly removed: readonly Placed<T>[];
  readonly added: readonly Placed<T>[];
}

export interface Pair<T> {
  readonly from: Placed<T>;
  readonly to: Placed<T>;
}

export interface Placed<T> {
  readonly entry: T;
  readonly index: number;
}

export type Mark<T> = (entry: T) => string | undefined;

/** The most certain marks first. Entries with the same mark are paired in their order, so the result is symmetric. */
export function pairByMarks<T>(from: readonly T[], to: readonly T[], marks: readonly Mark<T>[]): Pairing<T> {
  let pairing: Pairing<T> = { pairs: [], removed: from.map(placed), added: to.map(placed) };
  for (const mark of marks) {
    const found = pairsOf(pairing.removed, pairing.added, mark);
    pairing = withPairs(pairing, found);
  }
  return pairing;
}

export function withPairs<T>({ pairs, removed, added }: Pairing<T>, found: readonly Pair<T>[]): Pairing<T> {
  const [olds, news] = [new Set(found.map(({ from }) => from)), new Set(found.map(({ to }) => to))];
  return {
    pairs: [...pairs, ...found],
    removed: removed.filter((entry) => !olds.has(entry)),
    added: added.filter((entry) => !news.has(entry)),
  };
}

export function isReordered<T>({ pairs }: Pairing<T>): boolean {
  const olds = pairs.toSorted((a, b) => a.to.index - b.to.index).map(({ from }) => from.index);
  return olds.some((index, at) => at > 0 && index < (olds[at - 1] ?? 0));
}

function pairsOf<T>(removed: readonly Placed<T>[], added: readonly Placed<T>[], mark: Mark<T>): Pair<T>[] {
  const waiting = new Map<string, Placed<T>[]>();
  for (const old of removed) {
    const key = mark(old.entry);
    if (key === undefined) continue;
    const list = waiting.get(key);
    if (list) list.push(old);
    else waiting.set(key, [old]);
  }
  // `pop` is fast even for a long list of equal marks.
  for (const list of waiting.values()) list.reverse();
  return added.flatMap((to) => {
    const key = mark(to.entry);
    const old = key === undefined ? undefined : waiting.get(key)?.pop();
    return old ? [{ from: old, to }] : [];
  });
}

function placed<T>(entry: T, index: number): Placed<T> {
  return { entry, index };
}
