export function suggest(given: string, accepted: Iterable<string>): string | undefined {
  const word = given.toLowerCase();
  const most = Math.max(1, Math.floor(word.length / 3));
  let best: { candidate: string; mistakes: number } | undefined;
  for (const candidate of accepted) {
    if (Math.abs(candidate.length - word.length) > most) continue;
    const mistakes = mistakesBetween(word, candidate.toLowerCase());
    if (mistakes <= most && (!best || mistakes < best.mistakes)) best = { candidate, mistakes };
  }
  return best?.candidate ?? only([...accepted].filter((candidate) => candidate.startsWith(`${word}-`)));
}

export function didYouMean(given: string, accepted: Iterable<string>): string | undefined {
  const meant = suggest(given, accepted);
  return meant === undefined ? undefined : `Did you mean ${meant}?`;
}

/** `derby` matches only `derby-js`, but `websocket-rest` matches two profiles. */
function only<T>([first, ...others]: readonly T[]): T | undefined {
  return others.length === 0 ? first : undefined;
}

/** Two swapped letters are one mistake, not two. */
function mistakesBetween(word: string, other: string): number {
  let [before, row]: number[][] = [[], Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= word.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = word[i - 1] === other[j - 1];
      const isSwap = word[i - 1] === other[j - 2] && word[i - 2] === other[j - 1];
      next[j] = Math.min(
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + (isSame ? 0 : 1),
        isSwap ? at(before, j - 2) + 1 : Infinity,
      );
    }
    [before, row] = [row, next];
  }
  return at(row, other.length);
}

function at(row: readonly number[] | undefined, place: number): number {
  return row?.[place] ?? Infinity;
}
