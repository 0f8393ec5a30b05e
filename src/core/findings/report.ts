import type { Issue, Location } from "../api/issue.ts";

/** What was checked and what was found. Each renderer of this folder turns one into text, without a final newline. */
export interface Report {
  /** Relative to the root of the repository, with `/`. An issue of another file is named, but not framed. */
  readonly file: string;
  /** The source of `file`; columns count without a byte order mark. */
  readonly text: string;
  /** Sorted: no renderer changes their order. */
  readonly issues: readonly Issue[];
  /** In the order of the file. */
  readonly subjects: readonly Subject[];
}

/** Something of its own that was checked, for example a deploy target: all that lies below `path`. */
export interface Subject {
  readonly name: string;
  readonly path: Issue["path"];
}

/** The issues of each subject by its index in the report; those of the file as a whole under `undefined`. */
export function issuesBySubject({ subjects }: Report, issues: readonly Issue[]): Map<number | undefined, Issue[]> {
  const entries = subjects.map(({ path }, index) => [JSON.stringify(path), index] as const);
  // If two subjects have the same path, the first one counts.
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

/** Where an issue stands; its line and column are at least 1. `undefined` where it stands nowhere in particular. */
export function placeOf({ at }: Issue): Location | undefined {
  return at && { file: at.file, line: Math.max(at.line, 1), column: Math.max(at.column, 1) };
}

/** The lines of a text, as positions count them, from 1: without byte order mark and line ends. */
export function linesOf(text: string): { at(line: number): string | undefined } {
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  return { at: (line) => lines[line - 1]?.replace(/\r$/, "") };
}

/** What would be accepted, where the message leaves some of it out. */
export function unsaidAccepted({ accepted = [], message }: Issue): readonly string[] {
  return accepted.every((word) => message.includes(word)) ? [] : accepted;
}

/** The whole of an issue as one sentence, for formats that know a message only. */
export function describeIssue(issue: Issue): string {
  const accepted = unsaidAccepted(issue);
  const listed = accepted.length > 0 ? `; accepted: ${accepted.join(", ")}` : "";
  const meant = issue.suggestion === undefined ? "" : ` (did you mean ${issue.suggestion}?)`;
  return `${issue.message}${listed}${meant}`;
}

/** More than this nobody reads. */
const MOST = 100;

/** The issues that are printed for people, and how many more there are. */
export function firstIssues(
  issues: readonly Issue[],
  most = MOST,
): { readonly shown: readonly Issue[]; readonly more: number } {
  const shown = issues.slice(0, most);
  return { shown, more: issues.length - shown.length };
}

/** `2 errors, 1 warning`. */
export function countIssues(issues: readonly Issue[]): string {
  const errors = issues.filter(({ severity }) => severity === "error").length;
  return `${count(errors, "error")}, ${count(issues.length - errors, "warning")}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
