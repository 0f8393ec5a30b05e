import type { Issue } from "../api/issue.ts";
import { maskSource } from "../secrets/redact.ts";
import { defined } from "../words/defined.ts";
import type { LineChange } from "../words/line-change.ts";
import type { Planned } from "./edit-plan.ts";
import { shownEntry } from "./shown.ts";

/** The result of an edit. Credentials are masked in all of it. */
export interface DocumentEditResponse {
  /** As the caller named it, relative to the repository root. */
  readonly file: string;
  readonly dryRun: boolean;
  readonly changed: boolean;
  /** The file is new. */
  readonly created: boolean;
  /** The changed entry, by its name before the edit. */
  readonly target: string;
  /** Names of the fields with another value; every field of an entry that is added or removed. */
  readonly keys: readonly string[];
  /** The entry afterwards; absent if it was removed. */
  readonly entry?: Readonly<Record<string, unknown>>;
  /** The entry before; absent if it was added or removed. */
  readonly previous?: Readonly<Record<string, unknown>>;
  /** Fields that the caller left out and that took their default. */
  readonly defaults: readonly string[];
  readonly changes: readonly LineChange[];
  /** Issues that the entry had before and still has. */
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
    ...defined({ entry: edit.entry && shownEntry(edit.entry), previous: edit.before && shownEntry(edit.before) }),
    defaults: edit.defaults ?? [],
    changes: changes.map(({ line, before, after }) => ({
      line,
      before: before.map(maskSource),
      after: after.map(maskSource),
    })),
    issues: edit.left ?? [],
  };
}
