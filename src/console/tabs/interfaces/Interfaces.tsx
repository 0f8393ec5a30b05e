import type { JSX } from "preact";
import { textOf } from "../../../core/deployments/candidate.ts";
import { entryOf } from "../../../core/deployments/vocabulary.ts";
import { type Console, useConsole } from "../../console.ts";
import { formatCount } from "../../data/format.ts";
import { EntryList } from "../../state/entry-list.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { EntryForm } from "../../ui/EntryForm.tsx";
import { EntryItem, type EntryProps } from "../../ui/EntryItem.tsx";
import { EntryTab } from "../../ui/EntryTab.tsx";
import { interfaceKind } from "./interface-kind.ts";

/** The interface adapters of the document. @see the specification, "Interface adapter" */
export function Interfaces(): JSX.Element {
  const list = interfaceList(useConsole());
  return (
    <EntryTab
      list={list}
      title="Interfaces"
      about={`${formatCount(list.entries.value.length, "adapter")}: the protocols of the backend and their controllers.`}
      label="Interface adapters"
      Form={InterfaceForm}
      Item={InterfaceItem}
      empty={
        <EmptyState icon="plug" title="No interface adapters yet">
          <p>
            An adapter joins a protocol and a framework to an entrypoint and a controller action. Describe the first one
            in the form above.
          </p>
        </EmptyState>
      }
    />
  );
}

export function interfaceList({ kept, store, facts }: Console): EntryList {
  return kept("interfaces", () => new EntryList(store, interfaceKind(facts.vocabulary)));
}

function InterfaceForm({ list }: { list: EntryList }): JSX.Element {
  return <EntryForm list={list} word="Interface" />;
}

function InterfaceItem(props: EntryProps): JSX.Element {
  const { entry, index } = props;
  const { matrix } = useConsole().facts;
  const type = textOf(entry, "type");
  return (
    <EntryItem
      {...props}
      name={textOf(entry, "controller") || `Adapter ${index + 1}`}
      badge={entryOf(matrix.interfaceTypes, type)?.label ?? type}
      facts={[textOf(entry, "framework"), textOf(entry, "entrypoint")]}
    />
  );
}
