/** A finding of a validator. Validators return every issue, sorted; they never throw and never print. */
export interface Issue {
  /** Stable, for example `ENV_VALUE_UNSUPPORTED`. */
  readonly code: string;
  /** An error is in the way of what was asked; a warning is not. */
  readonly severity: Severity;
  /** Where in the document, for example `["values", "SVC_HTTP_FRAMEWORK"]`. */
  readonly path: readonly (string | number)[];
  /** What is wrong, and what would be accepted. Never a secret. */
  readonly message: string;
  /** What would be accepted, for a program that offers it. */
  readonly accepted?: readonly string[];
  /** The accepted value that was probably meant. */
  readonly suggestion?: string;
  /** Where in the file, for sources that are one. */
  readonly at?: Location;
}

export type Severity = "error" | "warning";

/** `line` and `column` count from 1; a column counts UTF-16 units, as editors do. */
export interface Location {
  /** As it was named to svcm, or absolute. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
}

/** `file:line:column`, as compilers write a place and editors open it. */
export function locationText({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

/** How many issues of one kind of place are told: nobody reads more, and a hostile file has millions. */
export const MAX_ISSUES = 10_000;

/** How many findings the check of an env file reports, which has far fewer lines than that. */
export const MAX_FINDINGS = 1000;

const NOWHERE: Location = { file: "", line: 0, column: 0 };

/** Sorts by file, line, column, code, path: the one order of every report. */
export function sortIssues(issues: readonly Issue[]): Issue[] {
  return issues.toSorted(
    (a, b) =>
      compareLocations(a.at ?? NOWHERE, b.at ?? NOWHERE) ||
      compareText(a.code, b.code) ||
      compareText(a.path.join("."), b.path.join(".")),
  );
}

function compareLocations(a: Location, b: Location): number {
  return compareText(a.file, b.file) || a.line - b.line || a.column - b.column;
}

/** Code-unit order: the same on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** True where nothing stands in the way; warnings do not. */
export function isValid(issues: readonly Issue[]): boolean {
  return issues.every((issue) => issue.severity !== "error");
}
