import type { Issue, Location } from "../api/issue.ts";

export type Path = Issue["path"];

export interface YamlSource {
  /** Plain data; `undefined` if the text has errors. */
  readonly value: unknown;
  readonly issues: readonly Issue[];
  /** The location of a path, or of its nearest ancestor. */
  at(path: Path, part?: "key" | "value"): Location;
  /** The source text of a scalar, for example `1.10` for the number 1.1. */
  scalarSource(path: Path): string | undefined;
}
