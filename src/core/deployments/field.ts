import type { CapabilityMatrix } from "../facts/schema.ts";
import type { Candidate } from "./candidate.ts";
import type { Fact, Vocabulary } from "./vocabulary.ts";

/**
 * A field of an entry. Rules, defaults, flags, prompts, forms, lists and the editor schema are derived from it. Its
 * functions get the known part of the entry; `{}` means any entry.
 */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  /** The flag of the commands that add and edit, without dashes, and its former names. */
  readonly flag?: string;
  readonly flagAliases?: readonly string[];
  /** The field that this one depends on. It is prompted for first. */
  readonly by?: string;
  /** Empty if the field must be absent. Missing for free text. */
  readonly accepted?: (entry: Candidate, vocabulary: Vocabulary) => readonly string[];
  readonly labels?: (matrix: CapabilityMatrix) => Readonly<Record<string, { readonly label: string }>>;
  /** The vocabulary of the matrix, which may refer to a runtime key. That key then describes the field. */
  readonly fact?: (matrix: CapabilityMatrix) => Fact;
  readonly required: (entry: Candidate, vocabulary: Vocabulary) => boolean;
  readonly usual?: (entry: Candidate, vocabulary: Vocabulary) => string | undefined;
  readonly emptyIsAbsent?: boolean;
  /** The pattern of free text, and its description for a message. */
  readonly form?: { readonly pattern: RegExp; readonly expected: string };
  readonly examples?: readonly string[];
  /**
   * Rank of the column in a list. A narrow window drops the highest rank first; a field without a rank is not listed.
   */
  readonly column?: number;
}

/** Moves each field after the field that it depends on. */
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
