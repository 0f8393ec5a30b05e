import type { ComponentChildren, JSX } from "preact";
import type { Issue } from "../../core/contract/issue.ts";
import type { Candidate } from "../../core/suite/rule.ts";
import { formatCount } from "../data/format.ts";
import type { EntryList } from "../state/entry-list.ts";
import { IssueList } from "./IssueList.tsx";

export interface EntryItemProps {
  readonly index: number;
  readonly name: string;
  readonly isEdited: boolean;
  readonly issues: readonly Issue[];
  readonly badge?: string | undefined;
  /** What else there is to know of it, in short. */
  readonly facts: readonly (string | undefined)[];
  readonly actions: ComponentChildren;
}

/** An entry of a list, with what is wrong with it as it is stored. */
export function EntryItem({ index, name, isEdited, issues, badge, facts, actions }: EntryItemProps): JSX.Element {
  return (
    <li class={`card entry${isEdited ? " edited" : ""}`} data-entry={index} tabIndex={-1}>
      <div class="entry-row">
        <div class="entry-name">
          <h3>{name}</h3>
          {badge !== undefined && <span class="badge">{badge}</span>}
          {isEdited && <span class="badge accent">in the form</span>}
          {issues.length > 0 && <span class="badge error">{formatCount(issues.length, "issue")}</span>}
        </div>
        <ul class="entry-facts">
          {facts.map((fact, at) => fact !== undefined && fact !== "" && <li key={at}>{fact}</li>)}
        </ul>
        <div class="entry-actions">{actions}</div>
      </div>
      <IssueList issues={issues} label={`Issues of ${name}`} />
    </li>
  );
}

/** Loads the entry into the form; what was typed there goes only when the person says so. */
export function editWhenSafe(list: EntryList, entry: Candidate): void {
  if (!list.isDirty.value || confirm("Discard what you have changed in the form?")) list.edit(entry);
}

/** Destructive: asked for by `window.confirm`. @see the specification, "Errors" 2 */
export function removeWhenSure(list: EntryList, entry: Candidate, name: string): void {
  if (confirm(`Delete ${list.kind.noun} ${name}?`)) list.remove(entry);
}
