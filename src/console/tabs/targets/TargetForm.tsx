import type { JSX } from "preact";
import { entryOf, groupOf } from "../../../core/deployments/vocabulary.ts";
import { useConsole } from "../../console.ts";
import type { EntryList } from "../../state/entry-list.ts";
import { EntryForm } from "../../ui/EntryForm.tsx";

export function TargetForm({ list }: { list: EntryList }): JSX.Element {
  const { vocabulary } = useConsole().facts;
  const { deployTarget } = list.values.value;
  const { label } = entryOf(vocabulary.matrix.deployTargets, deployTarget) ?? {};
  const isManaged = groupOf(vocabulary, deployTarget)?.pm2Managed;
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
