import type { JSX } from "preact";
import { textOf } from "../../../core/deployments/candidate.ts";
import { entryOf, groupOf } from "../../../core/deployments/vocabulary.ts";
import { type Console, useConsole } from "../../console.ts";
import { formatCount } from "../../data/format.ts";
import { EntryList } from "../../state/entry-list.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { EntryItem, type EntryProps } from "../../ui/EntryItem.tsx";
import { EntryTab } from "../../ui/EntryTab.tsx";
import { MatrixTable } from "../../ui/MatrixTable.tsx";
import { targetKind } from "./target-kind.ts";
import { TargetForm } from "./TargetForm.tsx";

/** The deploy targets of the document. @see the specification, "Deploy target list behaviour" */
export function Targets(): JSX.Element {
  const page = useConsole();
  const list = targetList(page);
  return (
    <EntryTab
      list={list}
      title="Deploy targets"
      about={`${formatCount(list.entries.value.length, "target")}: where the service runs, on what runtime and as which service type.`}
      label="Deploy targets"
      Form={TargetForm}
      Item={TargetItem}
      empty={
        <EmptyState icon="rocket" title="No deploy targets yet">
          <p>
            A deploy target says where the service runs, on what runtime and as which service type. Describe the first
            one in the form above, or import the deployments.yaml of your repository.
          </p>
          <Button icon="upload" onClick={() => page.router.go("transfer")}>
            Import a document
          </Button>
        </EmptyState>
      }
    >
      <Matrix list={list} />
    </EntryTab>
  );
}

export function targetList({ kept, store, facts }: Console): EntryList {
  return kept("targets", () => new EntryList(store, targetKind(facts.vocabulary)));
}

function TargetItem(props: EntryProps): JSX.Element {
  const { list, entry, index } = props;
  const { matrix } = useConsole().facts;
  const text = (field: string): string => textOf(entry, field);
  const name = text("name") || `Target ${index + 1}`;
  const profile = text("pm2Profile");
  return (
    <EntryItem
      {...props}
      name={name}
      badge={entryOf(matrix.deployTargets, text("deployTarget"))?.label ?? text("deployTarget")}
      facts={[
        text("serviceType"),
        text("runtime"),
        text("region"),
        profile && `PM2 ${profile}`,
        text("databaseDriver"),
        text("keyValueDriver"),
      ]}
      actions={<IconButton icon="copy" label={`Duplicate ${name}`} onClick={() => list.duplicate(entry)} />}
    />
  );
}

function Matrix({ list }: { list: EntryList }): JSX.Element {
  const { matrix, vocabulary } = useConsole().facts;
  const { deployTarget, serviceType } = list.values.value;
  return (
    <MatrixTable
      title="Deploy targets and service types"
      axes={["Deploy target", "service type"]}
      rows={matrix.deployTargets}
      columns={matrix.serviceTypes}
      isAccepted={(target, type) => groupOf(vocabulary, target)?.serviceTypes.includes(type) === true}
      chosen={[deployTarget, serviceType]}
    />
  );
}
