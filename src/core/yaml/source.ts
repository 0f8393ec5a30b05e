import type { Issue, Location } from "../api/issue.ts";

/** A YAML or JSON text as plain data with places. */
export interface YamlSource {
  readonly file: string;
  /** Plain data; `undefined` if the text has errors. */
  readonly value: unknown;
  /** Errors and warnings, sorted. */
  readonly issues: readonly Issue[];
  /** The place of a path; of its nearest ancestor if the path does not exist. */
  at(path: readonly (string | number)[], part?: "key" | "value"): Location;
  /** The source of a scalar, for example `1.10` for the number 1.1. */
  written(path: readonly (string | number)[]): string | undefined;
}
