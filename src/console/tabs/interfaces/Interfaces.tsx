import type { JSX } from "preact";
import { textField, lookup, acceptedBy, type Vocabulary } from "../../../core/deployments/file.ts";
import { type Console, useConsole } from "../../console.ts";
import { EntryList, type EntryKind } from "../../state/entry-list.ts";
import { EmptyState } from "../../ui/Card.tsx";
import { EntryForm, EntryItem, type EntryProps, EntryTab } from "../../ui/EntryTab.tsx";
import { mergeEdit, createInterface } from "../../../core/deployments/edit/entry.ts";
import { interfaceFields } from "../../../core/deployments/fields.ts";
import { entryIssues, listVerdicts } from "../../../core/deployments/validate.ts";
import type { Values } from "../../state/form.ts";

/** @see the specification, "Interface adapter" */
export function Interfaces(): JSX.Element {
  const list = interfaceList(useConsole());
  return (
    <EntryTab
      list={list}
      title="Interfaces"
      noun="adapter"
      about="the protocols of the backend and their controllers."
      label="Interface adapters"
      Form={InterfaceForm}
      Item={InterfaceItem}
      empty={
        <EmptyState icon="plug" title="No interface adapters yet">
          <p>Describe the first one in the form above.</p>
        </EmptyState>
      }
    />
  );
}

export function interfaceList({ getOrCreate, store, facts }: Console): EntryList {
  return getOrCreate("interfaces", () => new EntryList(store, interfaceKind(facts.vocabulary)));
}

function InterfaceForm({ list }: { list: EntryList }): JSX.Element {
  return <EntryForm list={list} word="Interface" />;
}

function InterfaceItem(props: EntryProps): JSX.Element {
  const { entry, index } = props;
  const { matrix } = useConsole().facts;
  const type = textField(entry, "type");
  return (
    <EntryItem
      {...props}
      name={textField(entry, "controller") || `Adapter ${index + 1}`}
      badge={lookup(matrix.interfaceTypes, type)?.label ?? type}
      facts={[textField(entry, "framework"), textField(entry, "entrypoint")]}
    />
  );
}

function interfaceKind(vocabulary: Vocabulary): EntryKind {
  return {
    section: "interfaces",
    noun: "interface adapter",
    fields: interfaceFields,
    blank: { type: Object.keys(vocabulary.matrix.interfaceTypes)[0] ?? "" },
    nameOf: (entry) => textField(entry, "controller"),
    chosen: (values) => values,
    withDefaults: (values) => withFramework(values, vocabulary),
    added: (values) => createInterface(withFramework(values, vocabulary)),
    changed: mergeEdit,
    issues: (candidate, others) => entryIssues("interfaces", candidate, others, vocabulary),
    verdicts: (entries) => listVerdicts("interfaces", entries, vocabulary),
  };
}

function withFramework(values: Values, vocabulary: Vocabulary): Values {
  const type = lookup(vocabulary.matrix.interfaceTypes, values["type"]);
  const [only, second] = type ? acceptedBy(vocabulary, type.frameworks) : [];
  return only === undefined || second !== undefined ? values : { framework: only, ...values };
}
