import type { Code } from "../api/codes.generated.ts";
import type { Issue, Severity } from "../api/issue.ts";
import { defined } from "../words/defined.ts";
import { suggest } from "../words/suggest.ts";

/** The documentation of a code, as `svcm explain` shows it. */
export interface CodeDoc {
  /** What happened. */
  readonly summary: string;
  /** Why svcm refuses it, or how it decides. */
  readonly explanation?: string;
  /** The next step: what to run, change or look at. */
  readonly remedy: string;
}

/** The documentation of codes that do not belong to a rule. */
export type CodeDocs = Readonly<Partial<Record<Code, CodeDoc>>>;

/** One thing that a rule found; the rule adds its code. */
export interface Finding extends Pick<Issue, "message" | "accepted" | "suggestion"> {
  /** Below the place of what was checked; absent for all of it. */
  readonly path?: Issue["path"];
  /** Absent if it is the severity of the rule. */
  readonly severity?: Severity;
}

/** One thing that can be wrong, with its documentation. Every validator is a list of rules. */
export interface Rule<Checked, Found extends Finding = Finding> extends CodeDoc {
  readonly code: Code;
  readonly severity: Severity;
  readonly check: (checked: Checked) => Iterable<Found>;
}

/** A finding with the code and severity of its rule. */
export type Coded<Found extends Finding = Finding> = Found & { readonly code: Code; readonly severity: Severity };

/** Everything that the rules find, rule by rule, as far as a caller reads it. */
export function* findingsOf<Checked, Found extends Finding>(
  rules: readonly Rule<Checked, Found>[],
  checked: Checked,
): Generator<Coded<Found>> {
  for (const { code, severity, check } of rules) {
    for (const finding of check(checked)) yield { severity, ...finding, code };
  }
}

/** The issue of a finding. Its members are always in the same order. */
export function toIssue(finding: Coded, parent: Issue["path"] = []): Issue {
  const { code, severity, path = [], message, accepted, suggestion } = finding;
  return { code, severity, path: [...parent, ...path], message, ...defined({ accepted, suggestion }) };
}

/**
 * The words of a finding that knows what is accepted: `port: "x" is not known; accepted: a, b`.
 *
 * @param what what is wrong, beginning with the field
 * @param given the refused value, for a suggestion
 */
export function accepting(
  what: string,
  accepted: readonly string[],
  given?: unknown,
): Pick<Finding, "message" | "accepted" | "suggestion"> {
  const suggestion = typeof given === "string" ? suggest(given, accepted) : undefined;
  return { message: acceptedText(what, listed(accepted)), accepted, ...defined({ suggestion }) };
}

/** The sentence of every refusal, for a description of what is accepted. */
export function acceptedText(what: string, accepted: string): string {
  return `${what}; accepted: ${accepted}`;
}

/** `a, b, empty`: accepted values in a message. */
export function listed(accepted: readonly string[]): string {
  return accepted.map((value) => (value === "" ? "empty" : value)).join(", ");
}
