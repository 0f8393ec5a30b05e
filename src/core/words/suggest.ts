import { distance } from "fastest-levenshtein";

export function suggest(given: string, accepted: Iterable<string>): string | undefined {
  const word = given.toLowerCase();
  let best: { candidate: string; steps: number } | undefined;
  for (const candidate of accepted) {
    const steps = isSwapOf(word, candidate.toLowerCase()) ? 1 : distance(word, candidate.toLowerCase());
    if (steps <= Math.max(1, Math.floor(word.length / 3)) && (!best || steps < best.steps)) best = { candidate, steps };
  }
  return best?.candidate;
}

export function didYouMean(given: string, accepted: Iterable<string>): string | undefined {
  const meant = suggest(given, accepted);
  return meant === undefined ? undefined : `Did you mean ${meant}?`;
}

/** Two letters in the wrong order are one typing mistake, not two. */
function isSwapOf(word: string, candidate: string): boolean {
  if (word.length !== candidate.length) return false;
  const at = Array.from({ length: word.length }, (_, index) => index).find((index) => word[index] !== candidate[index]);
  return (
    at !== undefined && word.slice(0, at) + (word[at + 1] ?? "") + (word[at] ?? "") + word.slice(at + 2) === candidate
  );
}
