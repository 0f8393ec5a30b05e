import type { Issue, Location } from "../api/issue.ts";

/** A YAML (or JSON) text as plain data, with the place of everything in it. */
export interface YamlSource {
  readonly file: string;
  /** Plain objects, arrays, strings, numbers, booleans and null. `undefined` where errors say why. */
  readonly value: unknown;
  /** Everything that makes the text unreadable (errors) or ambiguous (warnings), sorted. */
  readonly issues: readonly Issue[];
  /** Where a path stands; the nearest ancestor where the path itself is absent. */
  at(path: readonly (string | number)[], part?: "key" | "value"): Location;
  /** A scalar as it is written, for example `1.10` where the value is the number 1.1. */
  written(path: readonly (string | number)[]): string | undefined;
}
