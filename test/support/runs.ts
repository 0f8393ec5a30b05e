import { test } from "vitest";

/**
 * An ordinary run takes a sample where the long run takes everything. The long run includes each file that calls one of
 * these functions, see `long-files.ts`.
 */
export const isLong = process.env["SVCM_TEST_LONG"] === "1";

/** Returns the number of tries. The values are new in each run where fast-check makes them. */
export function propertyRuns(ordinary: number, long: number): { readonly numRuns: number } {
  return { numRuns: isLong ? long : ordinary };
}

/** Returns the list in the long run, and its first element in an ordinary one. */
export function firstOrAll<const T>(list: readonly T[]): readonly T[] {
  return sampleOrAll(list, list.slice(0, 1));
}

/** Returns the list in the long run, and every third element in an ordinary one. */
export function everyThirdOrAll<const T>(list: readonly T[]): readonly T[] {
  return sampleOrAll(
    list,
    list.filter((_, index) => index % 3 === 0),
  );
}

/** Returns all in the long run, and the sample in an ordinary one. */
export function sampleOrAll<const T>(all: readonly T[], sample: readonly T[]): readonly T[] {
  return isLong ? all : sample;
}

/** A test of the long run only: each has a cheaper relative that is in every run. */
export const longTest = (isLong ? test : test.skip) as typeof test;
