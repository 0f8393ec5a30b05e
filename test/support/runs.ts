const isLong = process.env["SVCM_TEST_LONG"] === "1";

/** Returns the number of tries. An ordinary run tries less; its values are new in each run where fast-check makes them. */
export function runs(ordinary: number, long: number): { readonly numRuns: number } {
  return { numRuns: isLong ? long : ordinary };
}

/** Returns the list in the long run, and its first element in an ordinary one. */
export function firstOrAll<T>(list: readonly T[]): readonly T[] {
  return isLong ? list : list.slice(0, 1);
}
