const FIRST_MS = 250;
const LONGEST_MS = 10_000;

/**
 * How long to wait before the next attempt to connect: doubling, up to ten seconds, and anything from
 * half of that on, so that clients of a server that comes back do not all arrive at once.
 *
 * @param attempt 0 for the first one after a connection that worked
 * @param random from 0 to 1
 */
export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 30));
  return full / 2 + (full / 2) * random;
}
