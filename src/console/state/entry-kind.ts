import type { Issue } from "../../core/api/issue.ts";
import type { Candidate } from "../../core/deployments/candidate.ts";
import type { Field } from "../../core/deployments/field.ts";
import type { ListSection } from "../../core/deployments/shape.ts";
import type { EntryEdit } from "../../core/deployments/edit/entry.ts";
import type { Values } from "./form.ts";

export interface EntryKind {
  readonly section: ListSection;
  readonly noun: string;
  readonly fields: readonly Field[];
  readonly blank: Values;
  nameOf(entry: Candidate): string;
  /** Drops values that do not fit the choice. */
  chosen(values: Values, field: string): Values;
  withDefaults(values: Values): Values;
  added(values: Values): Candidate;
  changed(before: Candidate, edit: EntryEdit): Candidate;
  copied?(source: Candidate, all: readonly Candidate[]): Candidate;
  issues(candidate: Candidate, others: readonly Candidate[]): Issue[];
  /** The issues of each entry; of two equal entries, the later one is the duplicate. */
  verdicts(entries: readonly Candidate[]): Issue[][];
}
