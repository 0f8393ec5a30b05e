import { usePage } from "../console.ts";
import type { ComponentChildren, JSX } from "preact";
import type { Candidate } from "../../core/deployments/file.ts";
import { escapeHidden } from "../../core/words/characters.ts";
import { pluralize } from "../data/format.ts";
import type { EntryList } from "../state/entry-list.ts";
import { Button, IconButton } from "./Button.tsx";
import { IssueList } from "./IssueList.tsx";

export interface EntryProps {
  readonly list: EntryList;
  readonly entry: Candidate;
  readonly index: number;
}

export interface EntryItemProps extends EntryProps {
  readonly name: string;
  readonly badge: string;
  readonly facts: readonly string[];
  readonly actions?: ComponentChildren;
}

export function EntryItem({ list, entry, index, name, badge, facts, actions }: EntryItemProps): JSX.Element {
  const isEdited = list.edited.value === entry;
  const issues = list.verdicts.value[index] ?? [];
  const { questions } = usePage();
  const edit = async (): Promise<void> => {
    const title = "Discard what you have changed in the form?";
    if (!list.isUnsaved.value || (await questions.ask({ title, verb: "Discard" }))) list.edit(entry);
  };
  const remove = async (): Promise<void> => {
    const title = `Delete ${list.kind.noun} ${escapeHidden(name)}?`;
    if (await questions.ask({ title, verb: "Delete" })) list.remove(entry);
  };
  return (
    <li class={`card entry${isEdited ? " edited" : ""}`} data-entry={index} tabIndex={-1}>
      <div class="entry-row">
        <div class="entry-name">
          <h2>{name}</h2>
          {badge !== "" && <span class="badge">{badge}</span>}
          {isEdited && <span class="badge accent">in the form</span>}
          {issues.length > 0 && <span class="badge error">{pluralize(issues.length, "issue")}</span>}
        </div>
        <ul class="entry-facts">{facts.map((fact, at) => fact !== "" && <li key={at}>{fact}</li>)}</ul>
        <div class="entry-actions">
          <Button size="small" aria-label={`Edit ${name}`} onClick={() => void edit()}>
            Edit
          </Button>
          {actions}
          <IconButton icon="trash" label={`Delete ${name}`} onClick={() => void remove()} />
        </div>
      </div>
      <IssueList issues={issues} label={`Issues of ${name}`} />
    </li>
  );
}
