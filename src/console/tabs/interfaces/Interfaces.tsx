import type { JSX } from "preact";
import { CONTROLLER_EXAMPLE } from "../../../core/deployments/rules/interface-controller.ts";
import { ENTRYPOINT_EXAMPLE } from "../../../core/deployments/rules/interface-entrypoint.ts";
import { textOf } from "../../../core/deployments/candidate.ts";
import { entryOf, valuesOf } from "../../../core/deployments/vocabulary.ts";
import { type Console, useConsole } from "../../console.ts";
import { formatCount } from "../../data/format.ts";
import { EntryList } from "../../state/entry-list.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { EntryForm, issuesOf } from "../../ui/EntryForm.tsx";
import { EntryItem, type EntryProps } from "../../ui/EntryItem.tsx";
import { headings } from "../../ui/MatrixTable.tsx";
import { Select } from "../../ui/Select.tsx";
import { TabHead } from "../../ui/TabHead.tsx";
import { TextField } from "../../ui/TextField.tsx";
import { useFocus } from "../../ui/use-focus.ts";
import { interfaceKind } from "./interface-kind.ts";

/** The interface adapters of the document. @see the specification, "Interface adapter" */
export function Interfaces(): JSX.Element {
  const list = interfaceList(useConsole());
  const root = useFocus(list.focus);
  const entries = list.entries.value;
  return (
    <div class="stack" ref={root}>
      <TabHead
        title="Interfaces"
        about={`${formatCount(entries.length, "adapter")}: what the backend answers by, and which controller does it.`}
      />
      <InterfaceForm list={list} />
      {entries.length === 0 ? (
        <div class="card">
          <EmptyState icon="plug" title="No interface adapters yet">
            <p>
              An adapter joins a protocol and a framework to an entrypoint and a controller action. Describe the first
              one in the form above.
            </p>
          </EmptyState>
        </div>
      ) : (
        <ul class="entries" aria-label="Interface adapters">
          {entries.map((entry, index) => (
            <InterfaceItem key={index} list={list} entry={entry} index={index} />
          ))}
        </ul>
      )}
    </div>
  );
}

/** The list and its form outlive the leaving of the tab. */
export function interfaceList({ kept, suite, facts }: Console): EntryList {
  return kept("interfaces", () => new EntryList(suite, interfaceKind(facts.vocabulary)));
}

function InterfaceForm({ list }: { list: EntryList }): JSX.Element {
  const { vocabulary, matrix } = useConsole().facts;
  const { values: shown, issues } = list;
  const values = shown.value;
  const field = (name: string) => ({ name, value: values[name] ?? "", issues: issuesOf(issues.value, name) });
  const types = headings(matrix.interfaceTypes).map(({ id, label }) => ({ value: id, label }));
  const type = entryOf(matrix.interfaceTypes, values["type"]);
  const frameworks = type ? valuesOf(vocabulary, type.frameworks).map((value) => ({ value })) : [];
  return (
    <EntryForm list={list} word="Interface">
      <Select label="Type" {...field("type")} options={types} onChange={(value) => list.set("type", value)} />
      <Select
        label="Framework"
        {...field("framework")}
        options={frameworks}
        hint={type && `${formatCount(frameworks.length, "framework")} for ${type.label}.`}
        onChange={(value) => list.set("framework", value)}
      />
      <TextField
        label="Entrypoint"
        {...field("entrypoint")}
        hint={`For example ${ENTRYPOINT_EXAMPLE}.`}
        onInput={(value) => list.set("entrypoint", value)}
      />
      <TextField
        label="Controller"
        {...field("controller")}
        hint={`XController.action, for example ${CONTROLLER_EXAMPLE}.`}
        onInput={(value) => list.set("controller", value)}
      />
    </EntryForm>
  );
}

function InterfaceItem(props: EntryProps): JSX.Element {
  const { entry, index } = props;
  const { matrix } = useConsole().facts;
  const type = textOf(entry, "type");
  return (
    <EntryItem
      {...props}
      name={textOf(entry, "controller") || `Adapter ${index + 1}`}
      badge={entryOf(matrix.interfaceTypes, type)?.label ?? (type || undefined)}
      facts={[textOf(entry, "framework"), textOf(entry, "entrypoint")]}
    />
  );
}
