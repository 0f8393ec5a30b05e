import type { JSX } from "preact";
import { textOf } from "../../../core/deployments/candidate.ts";
import { entryOf } from "../../../core/deployments/vocabulary.ts";
import { useConsole } from "../../console.ts";
import { IconButton } from "../../ui/Button.tsx";
import { EntryItem, type EntryProps } from "../../ui/EntryItem.tsx";

/** A stored deploy target, with what can be done to it. */
export function TargetItem(props: EntryProps): JSX.Element {
  const { list, entry, index } = props;
  const { matrix } = useConsole().facts;
  const name = textOf(entry, "name") || `Target ${index + 1}`;
  const profile = textOf(entry, "pm2Profile");
  const deployTarget = textOf(entry, "deployTarget");
  return (
    <EntryItem
      {...props}
      name={name}
      badge={entryOf(matrix.deployTargets, deployTarget)?.label ?? (deployTarget || undefined)}
      facts={[
        textOf(entry, "serviceType"),
        textOf(entry, "runtime"),
        textOf(entry, "region"),
        profile && `PM2 ${profile}`,
        textOf(entry, "databaseDriver"),
        textOf(entry, "keyValueDriver"),
      ]}
      actions={<IconButton icon="copy" label={`Duplicate ${name}`} onClick={() => list.duplicate(entry)} />}
    />
  );
}
