import type { ComponentChildren, JSX } from "preact";
import { unhidden } from "../../core/deployments/characters.ts";
import type { Candidate } from "../../core/deployments/candidate.ts";
import { formatCount } from "../data/format.ts";
import type { EntryList } from "../state/entry-list.ts";
import { Button, IconButton } from "./Button.tsx";
import { IssueList } from "./IssueList.tsx";

/** One of the entries of a list. */
export interface EntryProps {
  readonly list: EntryList;
  readonly entry: Candidate;
  readonly index: number;
}

export interface EntryItemProps extends EntryProps {
  readonly name: string;
  readonly badge?: string | undefined;
  /** What else there is to know of it, in short. */
  readonly facts: readonly (string | undefined)[];
  /** What can be done to it besides. */
  readonly actions?: ComponentChildren;
}

/** An entry as it is stored, with what is wrong with it and what can be done to it. */
export function EntryItem({ list, entry, index, name, badge, facts, actions }: EntryItemProps): JSX.Element {
  const isEdited = list.edited.value === entry;
  const issues = list.verdicts.value[index] ?? [];
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
        <div class="entry-actions">
          <Button size="small" icon="edit" aria-label={`Edit ${name}`} onClick={() => editWhenSafe(list, entry)}>
            Edit
          </Button>
          {actions}
          <IconButton icon="trash" label={`Delete ${name}`} onClick={() => deleteWhenSure(list, entry, name)} />
        </div>
      </div>
      <IssueList issues={issues} label={`Issues of ${name}`} />
    </li>
  );
}

/** Loads the entry into the form; what was typed there goes only when the person says so. */
function editWhenSafe(list: EntryList, entry: Candidate): void {
  if (!list.isUnsaved.value || confirm("Discard what you have changed in the form?")) list.edit(entry);
}

/** Destructive: asked for by `window.confirm`. @see the specification, "Errors" 2 */
function deleteWhenSure(list: EntryList, entry: Candidate, name: string): void {
  if (confirm(`Delete ${list.kind.noun} ${unhidden(name)}?`)) list.remove(entry);
}
