import { distance } from "fastest-levenshtein";

export function suggest(given: string, accepted: Iterable<string>): string | undefined {
  const word = given.toLowerCase();
  let best: { candidate: string; steps: number } | undefined;
  for (const candidate of accepted) {
    const steps = stepsTo(word, candidate.toLowerCase());
    if (steps <= Math.max(1, Math.floor(word.length / 3)) && (!best || steps < best.steps)) best = { candidate, steps };
  }
  return best?.candidate ?? only([...accepted].filter((candidate) => candidate.startsWith(`${word}-`)));
}

export function didYouMean(given: string, accepted: Iterable<string>): string | undefined {
  const meant = suggest(given, accepted);
  return meant === undefined ? undefined : `Did you mean ${meant}?`;
}

/** `derby` has only `derby-js`, but `websocket-rest` has two profiles. */
function only<T>([first, ...others]: readonly T[]): T | undefined {
  return others.length === 0 ? first : undefined;
}

/** Two letters in the wrong order are one typing mistake, not two. */
function stepsTo(word: string, candidate: string): number {
  const isSwap = Array.from(candidate).some(
    (letter, at) => candidate.slice(0, at) + (candidate[at + 1] ?? "") + letter + candidate.slice(at + 2) === word,
  );
  return Math.min(distance(word, candidate), isSwap ? 1 : Infinity);
}
