import type { CapabilityMatrix } from "../api/facts.ts";
import type { Candidate } from "./file.ts";
import type { ValueSource, Vocabulary } from "./vocabulary.ts";

/**
 * Rules, defaults, flags, prompts, forms, lists and the editor schema derive from it. Its functions get the known part
 * of the entry.
 */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly flag?: string;
  readonly flagAliases?: readonly string[];
  /** This field depends on it, so it is prompted for first. */
  readonly dependsOn?: string;
  /** Empty if the field must be absent; missing for free text. */
  readonly accepted?: (entry: Candidate, vocabulary: Vocabulary) => readonly string[];
  readonly labels?: (matrix: CapabilityMatrix) => Readonly<Record<string, { readonly label: string }>>;
  /** A runtime key that the matrix refers to describes the field. */
  readonly fact?: (matrix: CapabilityMatrix) => ValueSource;
  readonly required: (entry: Candidate, vocabulary: Vocabulary) => boolean;
  readonly defaultValue?: (entry: Candidate, vocabulary: Vocabulary) => string | undefined;
  readonly emptyIsAbsent?: boolean;
  readonly format?: { readonly pattern: RegExp; readonly expected: string };
  readonly examples?: readonly string[];
  /** A narrow window drops the highest rank first; a field without a rank is not listed. */
  readonly column?: number;
}

export function sortByDependency<F extends Field>(fields: readonly F[]): F[] {
  const ordered = new Set<F>();
  const place = (field: F): void => {
    const decider = fields.find(({ name }) => name === field.dependsOn);
    if (decider) place(decider);
    ordered.add(field);
  };
  fields.forEach(place);
  return [...ordered];
}
