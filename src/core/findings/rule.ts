import type { Code, ErrorCode, Issue, Severity } from "../api/issue.ts";
import { suggest } from "../words/suggest.ts";

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
