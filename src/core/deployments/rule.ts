import { accepting, type Finding, type Rule as RuleOf } from "../findings/rule.ts";
import { maskCredentials } from "../secrets/redact.ts";
import { unhidden } from "./characters.ts";
import type { Candidate } from "./candidate.ts";
import type { Siblings } from "./siblings.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** An entry with everything that its rules compare it with. */
export interface CheckedEntry {
  readonly entry: Candidate;
  readonly vocabulary: Vocabulary;
  /** The other entries of the list; empty for a single document. */
  readonly siblings: Siblings;
}

export type Rule = RuleOf<CheckedEntry>;

/** A finding about a value outside its vocabulary. An absent value is the matter of another rule. */
export function unknownValue(entry: Candidate, field: string, accepted: readonly string[]): Finding[] {
  const value = entry[field];
  // A value that is not text is a finding of the shape.
  if (typeof value !== "string" || accepted.includes(value)) return [];
  return [
    accepted.length === 0 ? undeclared(field) : notAccepted(field, `${show(value)} is not known`, accepted, value),
  ];
}

/** A finding about a field whose vocabulary the repository does not have. */
export function undeclared(field: string): Finding {
  const message = `${field}: config/capability-matrix.yaml declares no values for it; remove the field, or declare its values there`;
  return { path: [field], message };
}

/** A finding about the value of a field that lists the accepted ones, and suggests one near `given`. */
export function notAccepted(field: string, words: string, accepted: readonly string[], given?: unknown): Finding {
  return { path: [field], ...accepting(`${field}: ${words}`, accepted, given) };
}

/** A finding about a required field that has a vocabulary. */
export function missing(field: string, accepted: readonly string[]): Finding {
  return { path: [field], ...accepting(`${field} is missing`, accepted) };
}

/** A value as a message shows it: short, quoted, on one line, without credentials or hidden characters. */
export function show(value: unknown): string {
  const text = unhidden(JSON.stringify(typeof value === "string" ? maskCredentials(value) : value) ?? "nothing");
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
