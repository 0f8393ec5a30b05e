import { distance } from "fastest-levenshtein";

/** The accepted word that was most likely meant, or `undefined` where none is near. */
export function suggest(given: string, accepted: Iterable<string>): string | undefined {
  const word = given.toLowerCase();
  let best: { candidate: string; steps: number } | undefined;
  for (const candidate of accepted) {
    const steps = distance(word, candidate.toLowerCase());
    if (steps <= Math.max(1, Math.floor(word.length / 3)) && (!best || steps < best.steps)) best = { candidate, steps };
  }
  return best?.candidate;
}
