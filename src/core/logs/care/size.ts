/** What `maxSize` of `svcm.yaml` and `--max-size` accept. A larger compressed file could not be searched. */
export const LOG_SIZE = /^(?:[1-9]\d{2,3}K|[1-9]M|[1-5]\dM|60M)$/;
export const LOG_SIZE_WORDS = "a size from 100K to 60M, for example 50M";

const UNITS: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20 };

/** @param text of the form LOG_SIZE */
export function parseLogSize(text: string): number {
  return Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? 0);
}
