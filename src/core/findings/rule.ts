import type { Code, ErrorCode, Issue, Severity, Location } from "../api/issue.ts";
import { suggest } from "../words/suggest.ts";
import { isInsideSecret } from "../secrets/source-lines.ts";
import { pluralize } from "../words/text.ts";

export interface CodeDoc {
  readonly summary: string;
  /** Why svcm refuses it, or how svcm decides. */
  readonly explanation?: string;
  /** A command to run, or a setting to change or check. */
  readonly remedy: string;
}

export type CodeDocs = Readonly<Partial<Record<Code, CodeDoc>>>;

export interface Finding extends Pick<Issue, "message" | "accepted" | "suggestion"> {
  /** Relative to the checked value; absent for the whole value. */
  readonly path?: Issue["path"];
  readonly severity?: Severity;
}

/** `config/codes.json` documents its code. */
export interface Rule<Checked, Found extends Finding = Finding> {
  readonly code: Code;
  readonly severity: Severity;
  readonly check: (checked: Checked) => Iterable<Found>;
}

export type CodedFinding<Found extends Finding = Finding> = Found & {
  readonly code: ErrorCode;
  readonly severity: Severity;
};

/** Rule by rule, so that a caller can stop early. */
export function* findingsOf<Checked, Found extends Finding>(
  rules: readonly Rule<Checked, Found>[],
  checked: Checked,
): Generator<CodedFinding<Found>> {
  for (const { code, severity, check } of rules) {
    for (const finding of check(checked)) yield { severity, ...finding, code };
  }
}

export function toIssue(finding: CodedFinding, parent: Issue["path"] = []): Issue {
  const { code, severity, path = [], message, accepted, suggestion } = finding;
  return { code, severity, path: [...parent, ...path], message, accepted, suggestion };
}

/**
 * `port: "x" is not known; accepted: a, b`
 * @param what begins with the field
 * @param value the refused value, for a suggestion
 */
export function withAccepted(
  what: string,
  accepted: readonly string[],
  value?: unknown,
): Pick<Finding, "message" | "accepted" | "suggestion"> {
  const suggestion = typeof value === "string" ? suggest(value, accepted) : undefined;
  return { message: acceptedText(what, joinAccepted(accepted)), accepted, suggestion };
}

export function acceptedText(what: string, accepted: string): string {
  return `${what}; accepted: ${accepted}`;
}

export function joinAccepted(accepted: readonly string[]): string {
  return accepted.map((value) => (value === "" ? "empty" : value)).join(", ");
}

/** Renderers return text without a final line break. */
export interface Report {
  /** Relative to the root. For an issue in another file, svcm shows the file name but not its source. */
  readonly file: string;
  /** Columns do not count a byte order mark. */
  readonly text: string;
  readonly issues: readonly Issue[];
  readonly subjects: readonly Subject[];
}

/** With its own test case, for example a deploy target: everything below `path`. */
export interface Subject {
  readonly name: string;
  readonly path: Issue["path"];
}

/** By index of the subject; `undefined` for issues of the whole file. */
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

export function issueLocation({ at }: Issue): Location | undefined {
  return at && { file: at.file, line: Math.max(at.line, 1), column: Math.max(at.column, 1) };
}

interface Lines {
  at(line: number): string | undefined;
  /** True if the line continues the value of a secret. */
  isSecret(line: number): boolean;
}

/** Lines count from 1 and have no byte order mark. */
export function indexLines(text: string): Lines {
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  return { at: (line) => lines[line - 1]?.replace(/\r$/, ""), isSecret: (line) => isInsideSecret(lines, line - 1) };
}

export function unmentionedAccepted({ accepted = [], message }: Issue): readonly string[] {
  return accepted.every((word) => message.includes(word)) ? [] : accepted;
}

export function describeIssue(issue: Issue): string {
  const accepted = unmentionedAccepted(issue);
  const listed = accepted.length > 0 ? `; accepted: ${accepted.join(", ")}` : "";
  return `${issue.message}${listed}${suggestionText(issue)}`;
}

export function suggestionText({ suggestion }: Pick<Issue, "suggestion">): string {
  return suggestion === undefined ? "" : ` (did you mean ${suggestion}?)`;
}

const MAX_ISSUES = 100;

export function firstIssues(
  issues: readonly Issue[],
  limit = MAX_ISSUES,
): { readonly listed: readonly Issue[]; readonly more: number } {
  const listed = issues.slice(0, limit);
  return { listed, more: issues.length - listed.length };
}

export function countIssues(issues: readonly Issue[]): string {
  const errors = issues.filter(({ severity }) => severity === "error").length;
  return `${pluralize(errors, "error")}, ${pluralize(issues.length - errors, "warning")}`;
}
