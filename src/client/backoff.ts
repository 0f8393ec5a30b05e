const FIRST_MS = 250;
const LONGEST_MS = 10_000;

/**
 * Milliseconds before the next attempt to connect. The upper bound doubles up to ten seconds; the random part keeps
 * clients from returning at the same time.
 * @param attempt 0 for the first one after a working connection
 * @param random from 0 to 1
 */
export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 30));
  return full / 2 + (full / 2) * random;
}
