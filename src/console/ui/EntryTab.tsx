import type { ComponentChildren, ComponentType, JSX } from "preact";
import { useConsole, usePage } from "../console.ts";
import { pluralize, UNKNOWN } from "../data/format.ts";
import type { EntryList } from "../state/entry-list.ts";
import { Button, IconButton } from "./Button.tsx";
import { RepositoryState } from "./RepositoryState.tsx";
import { TabHead } from "./Card.tsx";
import { useFocus } from "./use-focus.ts";
import type { Candidate } from "../../core/deployments/file.ts";
import { escapeHidden } from "../../core/words/characters.ts";
import { IssueList } from "./Problem.tsx";
import { FormCard, FormFields } from "./FormCard.tsx";

export interface EntryTabProps {
  readonly list: EntryList;
  readonly title: string;
  readonly noun: string;
  readonly about: string;
  readonly label: string;
  readonly Form: ComponentType<{ list: EntryList }>;
  readonly Item: ComponentType<EntryProps>;
  readonly empty: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function EntryTab(props: EntryTabProps): JSX.Element {
  const { list, title, noun, about, label, Form, Item, empty, children } = props;
  const root = useFocus(list.focus);
  const entries = list.entries.value;
  const { isKnown } = useConsole().declarations;
  const isEmpty = entries.length === 0;
  const count = isEmpty && !isKnown.value ? `${UNKNOWN} ${noun}s` : pluralize(entries.length, noun);
  return (
    <div class="stack" ref={root}>
      <TabHead title={title} about={`${count}: ${about}`}>
        {!isEmpty && (
          <Button icon="plus" onClick={() => list.begin()}>
            New {list.kind.noun}
          </Button>
        )}
      </TabHead>
      <RepositoryState />
      {!isEmpty && (
        <ul class="entries" aria-label={label}>
          {entries.map((entry, index) => (
            <Item key={index} list={list} entry={entry} index={index} />
          ))}
        </ul>
      )}
      <Form list={list} />
      {isEmpty && isKnown.value && <div class="card">{empty}</div>}
      {children}
    </div>
  );
}

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

export interface EntryFormProps {
  readonly list: EntryList;
  readonly word: string;
  readonly hint?: ComponentChildren;
}

export function EntryForm({ list, word, hint }: EntryFormProps): JSX.Element {
  const { edited, isDirty, kind, canUndo } = list;
  const isEdit = edited.value !== undefined;
  const name = edited.value && kind.nameOf(edited.value);
  const cancel = (): void => list.cancel();
  return (
    <FormCard
      form={list}
      title={isEdit ? `Edit ${name || kind.noun}` : `New ${kind.noun}`}
      hint={hint}
      submit={isEdit ? { label: `Save ${word}`, icon: "check" } : { label: `Add ${word}`, icon: "plus" }}
      cancel={(isEdit || isDirty.value) && { label: isEdit ? "Cancel Edit" : "Clear", run: cancel }}
      action={
        canUndo.value && (
          <Button size="small" onClick={() => list.undo()}>
            Undo
          </Button>
        )
      }
      {...(isEdit && { onEscape: cancel })}
    >
      <FormFields form={list} fields={kind.fields} />
    </FormCard>
  );
}
