import type { JSX } from "preact";
import { type Candidate, textOf } from "../../../core/suite/rule.ts";
import { entryOf } from "../../../core/suite/vocabulary.ts";
import { useConsole } from "../../console.ts";
import type { EntryList } from "../../state/entry-list.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { editWhenSafe, EntryItem, removeWhenSure } from "../../ui/EntryItem.tsx";

/** A stored deploy target, with what can be done to it. */
export function TargetItem(props: { list: EntryList; entry: Candidate; index: number }): JSX.Element {
  const { list, entry, index } = props;
  const { matrix } = useConsole().facts;
  const name = textOf(entry, "name") || `Target ${index + 1}`;
  const profile = textOf(entry, "pm2Profile");
  const deployTarget = textOf(entry, "deployTarget");
  return (
    <EntryItem
      index={index}
      name={name}
      isEdited={list.edited.value === entry}
      issues={list.verdicts.value[index] ?? []}
      badge={entryOf(matrix.deployTargets, deployTarget)?.label ?? (deployTarget || undefined)}
      facts={[
        textOf(entry, "serviceType"),
        textOf(entry, "runtime"),
        textOf(entry, "region"),
        profile && `PM2 ${profile}`,
        textOf(entry, "databaseDriver"),
        textOf(entry, "keyValueDriver"),
      ]}
      actions={
        <>
          <Button size="small" icon="edit" aria-label={`Edit ${name}`} onClick={() => editWhenSafe(list, entry)}>
            Edit
          </Button>
          <IconButton icon="copy" label={`Duplicate ${name}`} onClick={() => list.duplicate(entry)} />
          <IconButton icon="trash" label={`Delete ${name}`} onClick={() => removeWhenSure(list, entry, name)} />
        </>
      }
    />
  );
}
