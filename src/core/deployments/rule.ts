import type { Issue } from "../api/issue.ts";
import { maskCredentials } from "../secrets/redact.ts";
import type { CodeDoc } from "../findings/codes/code-doc.ts";
import { suggest } from "../words/suggest.ts";
import { unhidden } from "./characters.ts";
import type { Candidate } from "./candidate.ts";
import type { Siblings } from "./siblings.ts";
import { entryOf, type Vocabulary } from "./vocabulary.ts";

/** A finding before it has a place in a document. `field` is the member it is about. */
export interface Finding extends Pick<Issue, "message" | "accepted" | "suggestion"> {
  readonly code: string;
  readonly field: string | readonly (string | number)[];
}

/** One thing that may be wrong, with what `svcm explain` says about it. One rule, one file. */
export interface Rule extends CodeDoc {
  readonly code: string;
  readonly explanation: string;
  /** @param siblings the other entries of the list; none for a single document */
  readonly check: (candidate: Candidate, vocabulary: Vocabulary, siblings: Siblings) => Omit<Finding, "code">[];
}

/** A finding about a value outside its vocabulary. Silent where the member is absent: another rule's matter. */
export function unknownValue(
  candidate: Candidate,
  field: string,
  accepted: readonly string[],
): Omit<Finding, "code">[] {
  const value = candidate[field];
  // What is no text at all is told by the shape.
  if (typeof value !== "string" || accepted.includes(value)) return [];
  if (accepted.length === 0) return [undeclared(field)];
  const suggestion = suggest(value, accepted);
  return [
    {
      field,
      message: `${field}: ${show(value)} is not known; accepted: ${accepted.join(", ")}`,
      accepted,
      ...(suggestion !== undefined && { suggestion }),
    },
  ];
}

/** A finding about a field whose vocabulary the repository does not have. */
export function undeclared(field: string): Omit<Finding, "code"> {
  const message = `${field}: config/capability-matrix.yaml declares no values for it; remove the field, or declare its values there`;
  return { field, message };
}

/** As {@link unknownValue}, where the vocabulary is the names of a record. */
export function unknownName(
  candidate: Candidate,
  field: string,
  record: Readonly<Record<string, unknown>>,
): Omit<Finding, "code">[] {
  // Nearly all are known, and the list of the names is for those that are not.
  if (entryOf(record, candidate[field]) !== undefined) return [];
  return unknownValue(candidate, field, Object.keys(record));
}

/** A finding that names what the matrix would accept. */
export function notAccepted(field: string, words: string, accepted: readonly string[]): Omit<Finding, "code"> {
  return { field, message: `${field}: ${words}; accepted: ${accepted.join(", ")}`, accepted };
}

/** A finding about a field that has to be there, and has a vocabulary. */
export function missing(field: string, accepted: readonly string[]): Omit<Finding, "code"> {
  return { field, message: `${field} is missing; accepted: ${accepted.join(", ")}`, accepted };
}

/** A value as a message shows it: short, quoted, on one line, without credentials, nothing in it hidden. */
export function show(value: unknown): string {
  const text = unhidden(JSON.stringify(typeof value === "string" ? maskCredentials(value) : value) ?? "nothing");
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
