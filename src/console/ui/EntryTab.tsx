import type { ComponentChildren, ComponentType, JSX } from "preact";
import { useConsole } from "../console.ts";
import { pluralize, UNKNOWN } from "../data/format.ts";
import type { EntryList } from "../state/entry-list.ts";
import { Button } from "./Button.tsx";
import type { EntryProps } from "./EntryItem.tsx";
import { RepositoryState } from "./RepositoryState.tsx";
import { TabHead } from "./TabHead.tsx";
import { useFocus } from "./use-focus.ts";

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
