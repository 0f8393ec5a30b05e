import type { Issue } from "../../core/api/issue.ts";
import type { Candidate } from "../../core/deployments/candidate.ts";
import type { ListSection } from "../../core/deployments/shape.ts";
import { formatCount } from "../data/format.ts";

/** What a form holds: texts. An empty one leaves the field out. */
export type Values = Readonly<Record<string, string>>;

/** What one kind of entry has to say about itself. */
export interface EntryKind {
  readonly section: ListSection;
  /** For people: `deploy target`. */
  readonly noun: string;
  readonly fields: readonly string[];
  /** Those of the fields that are typed, not chosen from a list. */
  readonly typed: readonly string[];
  readonly blank: Values;
  nameOf(entry: Candidate): string;
  /** The values after one of them was chosen: what cannot stand beside it is cleared. */
  chosen(values: Values, field: string): Values;
  /** What is not said yet takes its default, in the form as in the entry. */
  withDefaults(values: Values): Values;
  added(values: Values): Candidate;
  changed(before: Candidate, asked: { readonly values: Values; readonly clear: readonly string[] }): Candidate;
  copied?(source: Candidate, all: readonly Candidate[]): Candidate;
  /** The one gate of adding and editing. */
  issues(candidate: Candidate, others: readonly Candidate[]): Issue[];
  /** The issues of each entry of the list; of two equal entries, the later one is the duplicate. */
  verdicts(entries: readonly Candidate[]): Issue[][];
}

export interface Said {
  readonly tone: "success" | "warning" | "error";
  readonly text: string;
}

/** A candidate was refused, with so many issues. */
export function refusal(count: number): Said {
  return { tone: "error", text: `Not saved: ${formatCount(count, "issue")}. The saved state is unchanged.` };
}
