/** Ids that begin with the digits of their time, such as `20261122-044103-b8f9`, so a list of them is in order. */

const TIME_DIGITS = 14;

/**
 * Sorts after the newest one, also within a second, and after a clock was set back.
 * @param newest `""` without one
 * @param render the id of a time in milliseconds since 1970
 */
export function createIdAfter(newest: string, nowMs: number, render: (ms: number) => string): string {
  const id = render(nowMs);
  return id > newest ? id : render(timeOfId(newest) + 1000);
}

/** `20261122044103` */
export function timeDigits(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/\D/g, "").slice(0, TIME_DIGITS);
}

function timeOfId(id: string): number {
  const digits = id.replaceAll(/\D/g, "").slice(0, TIME_DIGITS);
  return Date.parse(digits.replace(/^(....)(..)(..)(..)(..)(..)$/, "$1-$2-$3T$4:$5:$6Z"));
}
