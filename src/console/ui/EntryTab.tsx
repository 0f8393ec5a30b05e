import type { ComponentChildren, ComponentType, JSX } from "preact";
import type { EntryList } from "../state/entry-list.ts";
import { Button } from "./Button.tsx";
import type { EntryProps } from "./EntryItem.tsx";
import { RepositoryState } from "./RepositoryState.tsx";
import { TabHead } from "./TabHead.tsx";
import { useFocus } from "./use-focus.ts";

export interface EntryTabProps {
  readonly list: EntryList;
  readonly title: string;
  readonly about: string;
  readonly label: string;
  readonly Form: ComponentType<{ list: EntryList }>;
  readonly Item: ComponentType<EntryProps>;
  readonly empty: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function EntryTab({ list, title, about, label, Form, Item, empty, children }: EntryTabProps): JSX.Element {
  const root = useFocus(list.focus);
  const entries = list.entries.value;
  return (
    <div class="stack" ref={root}>
      <TabHead title={title} about={about}>
        {entries.length > 0 && (
          <Button icon="plus" onClick={() => list.begin()}>
            New {list.kind.noun}
          </Button>
        )}
      </TabHead>
      <RepositoryState />
      {entries.length > 0 && (
        <ul class="entries" aria-label={label}>
          {entries.map((entry, index) => (
            <Item key={index} list={list} entry={entry} index={index} />
          ))}
        </ul>
      )}
      <Form list={list} />
      {entries.length === 0 && <div class="card">{empty}</div>}
      {children}
    </div>
  );
}
