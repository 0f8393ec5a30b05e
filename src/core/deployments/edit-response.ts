import type { Issue } from "../api/issue.ts";
import { maskSource } from "../secrets/redact.ts";
import type { LineChange } from "../words/line-change.ts";
import type { Planned } from "./edit-plan.ts";
import { shownEntry } from "./shown.ts";

/** Credentials are masked in every member. */
export interface DocumentEditResponse {
  readonly file: string;
  readonly dryRun: boolean;
  readonly changed: boolean;
  readonly created: boolean;
  readonly target: string;
  /** All fields of an added or removed entry. */
  readonly keys: readonly string[];
  readonly entry?: Readonly<Record<string, unknown>> | undefined;
  readonly previous?: Readonly<Record<string, unknown>> | undefined;
  readonly defaults: readonly string[];
  readonly changes: readonly LineChange[];
  readonly issues: readonly Issue[];
}

export function editResponse(
  { file, dryRun, created }: Pick<DocumentEditResponse, "file" | "dryRun" | "created">,
  { edit, changes }: Planned,
): DocumentEditResponse {
  return {
    file,
    dryRun,
    changed: changes.length > 0,
    created,
    target: edit.target,
    keys: edit.keys,
    entry: edit.entry && shownEntry(edit.entry),
    previous: edit.before && shownEntry(edit.before),
    defaults: edit.defaults ?? [],
    changes: changes.map(({ line, before, after }) => ({
      line,
      before: before.map(maskSource),
      after: after.map(maskSource),
    })),
    issues: edit.left ?? [],
  };
}
