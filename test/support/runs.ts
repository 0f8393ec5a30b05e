const isLong = process.env["SVCM_TEST_LONG"] === "1";

/** Returns the number of runs. An ordinary run has fewer; values from fast-check are new in each run. */
export function runs(ordinary: number, long: number): { readonly numRuns: number } {
  return { numRuns: isLong ? long : ordinary };
}

/** Returns the complete list in the long run, and its first element in an ordinary one. */
export function firstOrAll<T>(list: readonly T[]): readonly T[] {
  return isLong ? list : list.slice(0, 1);
}
