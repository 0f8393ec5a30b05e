import type { JSX } from "preact";
import { textField, lookup, targetGroup, type Vocabulary } from "../../../core/deployments/file.ts";
import { type Console, useConsole } from "../../console.ts";
import { EntryList, type EntryKind } from "../../state/entry-list.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/Card.tsx";
import { EntryItem, type EntryProps, EntryTab, EntryForm } from "../../ui/EntryTab.tsx";
import { MatrixTable } from "../../ui/MatrixTable.tsx";
import { updateTarget, createTarget, copyTarget } from "../../../core/deployments/edit/entry.ts";
import { targetFields } from "../../../core/deployments/fields.ts";
import { targetDefaults } from "../../../core/deployments/shape.ts";
import { entryIssues, listVerdicts } from "../../../core/deployments/validate.ts";
import type { Values } from "../../state/form.ts";

/** @see the specification, "Deploy target list behaviour" */
export function Targets(): JSX.Element {
  const page = useConsole();
  const list = targetList(page);
  return (
    <EntryTab
      list={list}
      title="Deploy targets"
      noun="target"
      about="where the service runs, on what runtime and as which service type."
      label="Deploy targets"
      Form={TargetForm}
      Item={TargetItem}
      empty={
        <EmptyState icon="target" title="No deploy targets yet">
          <p>Describe the first one in the form above, or import the deployments.yaml of your repository.</p>
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

export function targetList({ getOrCreate, store, facts }: Console): EntryList {
  return getOrCreate("targets", () => new EntryList(store, targetKind(facts.vocabulary)));
}

function TargetItem(props: EntryProps): JSX.Element {
  const { list, entry, index } = props;
  const { matrix } = useConsole().facts;
  const text = (field: string): string => textField(entry, field);
  const name = text("name") || `Target ${index + 1}`;
  const profile = text("pm2Profile");
  return (
    <EntryItem
      {...props}
      name={name}
      badge={lookup(matrix.deployTargets, text("deployTarget"))?.label ?? text("deployTarget")}
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
      isAccepted={(target, type) => targetGroup(vocabulary, target)?.serviceTypes.includes(type) === true}
      chosen={[deployTarget, serviceType]}
    />
  );
}

function targetKind(vocabulary: Vocabulary): EntryKind {
  return {
    section: "deployments",
    noun: "deploy target",
    fields: targetFields,
    blank: { deployTarget: Object.keys(vocabulary.matrix.deployTargets)[0] ?? "" },
    nameOf: (entry) => textField(entry, "name"),
    chosen: (values, field) => withProfile(values, field, vocabulary),
    withDefaults: (values) => ({ ...targetDefaults(values, vocabulary), ...values }),
    added: (values) => createTarget(values, vocabulary),
    changed: (before, edit) => updateTarget(before, edit, vocabulary),
    copied: copyTarget,
    issues: (candidate, others) => entryIssues("deployments", candidate, others, vocabulary),
    verdicts: (entries) => listVerdicts("deployments", entries, vocabulary),
  };
}

/** Only a target that PM2 manages has a profile. */
function withProfile(values: Values, field: string, vocabulary: Vocabulary): Values {
  if (targetGroup(vocabulary, values["deployTarget"])?.pm2Managed === false) return { ...values, pm2Profile: "" };
  if (field !== "deployTarget" || values["pm2Profile"]) return values;
  return { ...values, pm2Profile: targetDefaults(values, vocabulary)["pm2Profile"] ?? "" };
}

function TargetForm({ list }: { list: EntryList }): JSX.Element {
  const { vocabulary } = useConsole().facts;
  const { deployTarget } = list.values.value;
  const { label } = lookup(vocabulary.matrix.deployTargets, deployTarget) ?? {};
  const isManaged = targetGroup(vocabulary, deployTarget)?.pm2Managed;
  return <EntryForm list={list} word="Target" hint={<Hint isManaged={isManaged} label={label} />} />;
}

function Hint({ isManaged, label }: { isManaged: boolean | undefined; label: string | undefined }): JSX.Element {
  if (isManaged === undefined) return <>This deploy target is not in the capability matrix. Choose one that is.</>;
  return isManaged ? (
    <>
      <strong>{label} is PM2-managed.</strong> Put the host information into Region, and choose the PM2 profile that
      starts the service there.
    </>
  ) : (
    <>
      <strong>{label} is a functions provider.</strong> Give the runtime with its version; the provider manages the
      processes, so there is no PM2 profile.
    </>
  );
}
