import type { Issue, Location } from "../api/issue.ts";
import { counted } from "../words/counted.ts";

/** The result of a check. Each renderer of this folder returns text without a final line break. */
export interface Report {
  /**
   * Relative to the root of the repository, with `/`. For an issue in another file, svcm shows the file name but not
   * its source.
   */
  readonly file: string;
  /** The source of `file`. Columns do not count a byte order mark. */
  readonly text: string;
  readonly issues: readonly Issue[];
  readonly subjects: readonly Subject[];
}

/** A part of the document with its own test case, for example a deploy target: everything below `path`. */
export interface Subject {
  readonly name: string;
  readonly path: Issue["path"];
}

/** The issues of each subject, by its index in the report. Issues of the whole file have the key `undefined`. */
export function issuesBySubject({ subjects }: Report, issues: readonly Issue[]): Map<number | undefined, Issue[]> {
  const entries = subjects.map(({ path }, index) => [JSON.stringify(path), index] as const);
  const byPath = new Map(entries.toReversed());
  const lengths = [...new Set(subjects.map(({ path }) => path.length))];
  const groups = new Map<number | undefined, Issue[]>();
  for (const issue of issues) {
    const candidates = lengths.map((length) => byPath.get(JSON.stringify(issue.path.slice(0, length))));
    const index = candidates.find((found) => found !== undefined);
    const group = groups.get(index);
    if (group) group.push(issue);
    else groups.set(index, [issue]);
  }
  return groups;
}

/** A location with line and column of at least 1; `undefined` for an issue without a location. */
export function issuePlace({ at }: Issue): Location | undefined {
  return at && { file: at.file, line: Math.max(at.line, 1), column: Math.max(at.column, 1) };
}

/** Returns a line by its number, from 1, without byte order mark and line break. */
export function linesOf(text: string): { at(line: number): string | undefined } {
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  return { at: (line) => lines[line - 1]?.replace(/\r$/, "") };
}

export function unsaidAccepted({ accepted = [], message }: Issue): readonly string[] {
  return accepted.every((word) => message.includes(word)) ? [] : accepted;
}

/** The issue as one sentence, for formats that have only a message. */
export function describeIssue(issue: Issue): string {
  const accepted = unsaidAccepted(issue);
  const listed = accepted.length > 0 ? `; accepted: ${accepted.join(", ")}` : "";
  return `${issue.message}${listed}${suggestionText(issue)}`;
}

/** The end of a sentence about an issue. */
export function suggestionText({ suggestion }: Pick<Issue, "suggestion">): string {
  return suggestion === undefined ? "" : ` (did you mean ${suggestion}?)`;
}

const MOST = 100;

export function firstIssues(
  issues: readonly Issue[],
  most = MOST,
): { readonly shown: readonly Issue[]; readonly more: number } {
  const shown = issues.slice(0, most);
  return { shown, more: issues.length - shown.length };
}

export function countIssues(issues: readonly Issue[]): string {
  const errors = issues.filter(({ severity }) => severity === "error").length;
  return `${counted(errors, "error")}, ${counted(issues.length - errors, "warning")}`;
}
