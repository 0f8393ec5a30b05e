export function suggest(input: string, accepted: Iterable<string>): string | undefined {
  const word = input.toLowerCase();
  const maxDistance = Math.max(1, Math.floor(word.length / 3));
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of accepted) {
    if (Math.abs(candidate.length - word.length) > maxDistance) continue;
    const distance = editDistance(word, candidate.toLowerCase());
    if (distance <= maxDistance && (!best || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate ?? onlyItem([...accepted].filter((candidate) => candidate.startsWith(`${word}-`)));
}

export function didYouMean(input: string, accepted: Iterable<string>): string | undefined {
  const suggestion = suggest(input, accepted);
  return suggestion === undefined ? undefined : `Did you mean ${suggestion}?`;
}

/** `derby` matches only `derby-js`, but `websocket-rest` matches two profiles. */
function onlyItem<T>([first, ...others]: readonly T[]): T | undefined {
  return others.length === 0 ? first : undefined;
}

/** Two swapped letters are one mistake, not two. */
function editDistance(word: string, other: string): number {
  let [before, row]: number[][] = [[], Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= word.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = word[i - 1] === other[j - 1];
      const isSwap = word[i - 1] === other[j - 2] && word[i - 2] === other[j - 1];
      next[j] = Math.min(
        cellAt(row, j) + 1,
        cellAt(next, j - 1) + 1,
        cellAt(row, j - 1) + (isSame ? 0 : 1),
        isSwap ? cellAt(before, j - 2) + 1 : Infinity,
      );
    }
    [before, row] = [row, next];
  }
  return cellAt(row, other.length);
}

function cellAt(row: readonly number[] | undefined, column: number): number {
  return row?.[column] ?? Infinity;
}
