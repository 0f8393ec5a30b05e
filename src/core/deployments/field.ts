import type { CapabilityMatrix } from "../facts/schema.ts";
import type { Candidate } from "./candidate.ts";
import type { Fact, Vocabulary } from "./vocabulary.ts";

/**
 * A field of an entry. Rules, defaults, flags, questions, forms, lists and the editor schema are derived from it. Its
 * functions get the known part of the entry; `{}` stands for every entry.
 */
export interface Field {
  readonly name: string;
  /** For forms, tables and questions. */
  readonly label: string;
  /** A sentence for flags and editors. */
  readonly help: string;
  /** The flag of the commands that add and edit, without dashes, and its older spellings. */
  readonly flag?: string;
  readonly flagAliases?: readonly string[];
  /** The field that this one depends on; questions ask that one first. */
  readonly by?: string;
  /** The accepted values; none if the field must be absent. Free text has no such list. */
  readonly accepted?: (entry: Candidate, vocabulary: Vocabulary) => readonly string[];
  /** The values' labels for people. */
  readonly labels?: (matrix: CapabilityMatrix) => Readonly<Record<string, { readonly label: string }>>;
  /** The vocabulary of the matrix that may refer to a runtime key, which then describes the field. */
  readonly fact?: (matrix: CapabilityMatrix) => Fact;
  readonly required: (entry: Candidate, vocabulary: Vocabulary) => boolean;
  /** The value that a new entry gets if the field is left out. */
  readonly usual?: (entry: Candidate, vocabulary: Vocabulary) => string | undefined;
  /** An empty text means that the field is absent. */
  readonly emptyIsAbsent?: boolean;
  /** The pattern of free text, and its description in a message. */
  readonly form?: { readonly pattern: RegExp; readonly expected: string };
  readonly examples?: readonly string[];
  /** Rank among the columns of a list: the highest is left out first in a narrow window. Without one, it is not listed. */
  readonly column?: number;
}

/** The same fields, each behind the one that it depends on. */
export function decidersFirst<F extends Field>(fields: readonly F[]): F[] {
  const ordered = new Set<F>();
  const place = (field: F): void => {
    const decider = fields.find(({ name }) => name === field.by);
    if (decider) place(decider);
    ordered.add(field);
  };
  fields.forEach(place);
  return [...ordered];
}
