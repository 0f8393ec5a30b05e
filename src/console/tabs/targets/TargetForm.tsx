import type { JSX } from "preact";
import { RUNTIME_EXAMPLES } from "../../../core/deployments/rules/target-runtime.ts";
import { fieldValues } from "../../../core/deployments/fields.ts";
import { entryOf, groupOf, type Vocabulary } from "../../../core/deployments/vocabulary.ts";
import { useConsole } from "../../console.ts";
import type { EntryList } from "../../state/entry-list.ts";
import { EntryForm, issuesOf } from "../../ui/EntryForm.tsx";
import { type Option, Select } from "../../ui/Select.tsx";
import { TextField } from "../../ui/TextField.tsx";

/** Adds a deploy target, or edits the one that was loaded into it. */
export function TargetForm({ list }: { list: EntryList }): JSX.Element {
  const { vocabulary } = useConsole().facts;
  const { values: shown, issues: told } = list;
  const [values, issues] = [shown.value, told.value];
  const field = (name: string) => ({ name, value: values[name] ?? "", issues: issuesOf(issues, name) });
  const text = (name: string) => ({ ...field(name), onInput: (value: string) => list.set(name, value) });
  const choice = (name: string) => ({
    ...field(name),
    options: optionsOf(name, values, vocabulary),
    onChange: (value: string) => list.set(name, value),
  });
  const target = entryOf(vocabulary.matrix.deployTargets, values["deployTarget"]);
  const group = groupOf(vocabulary, values["deployTarget"]);
  const hasProfile = group?.pm2Managed !== false;
  return (
    <EntryForm list={list} word="Target" hint={<Hint isPm2={group?.pm2Managed} label={target?.label} />}>
      <TextField label="Name" {...text("name")} placeholder="eu-production" />
      <Select label="Deploy target" {...choice("deployTarget")} />
      <TextField
        label="Region"
        {...text("region")}
        hint={target?.regionRequired === false ? "Optional here: it may say which host." : "Required for this target."}
      />
      <TextField
        label="Runtime"
        {...text("runtime")}
        hint={`Name and version, for example ${RUNTIME_EXAMPLES.join(", ")}.`}
      />
      <Select label="Service type" {...choice("serviceType")} />
      <Select label="Protocol" {...choice("runtimeProtocol")} />
      <Select label="Database driver" {...choice("databaseDriver")} />
      <Select label="Key-value driver" {...choice("keyValueDriver")} />
      <Select
        label="PM2 profile"
        {...choice("pm2Profile")}
        disabled={!hasProfile}
        {...(!hasProfile && { hint: "The provider runs this target: it has no PM2 profile." })}
      />
    </EntryForm>
  );
}

function Hint({ isPm2, label = "" }: { isPm2: boolean | undefined; label: string | undefined }): JSX.Element {
  if (isPm2 === undefined) return <>This deploy target is not in the capability matrix. Choose one that is.</>;
  return isPm2 ? (
    <>
      <strong>{label} is PM2-managed.</strong> Put the host information into Region, and choose the PM2 profile that
      starts the service there.
    </>
  ) : (
    <>
      <strong>{label} is a functions provider.</strong> What counts is the runtime with its version; the provider
      manages the processes, so there is no PM2 profile.
    </>
  );
}

/** Every value of the vocabulary; one that the matrix does not have beside the rest of the form says so. */
function optionsOf(field: string, values: EntryList["values"]["value"], vocabulary: Vocabulary): Option[] {
  const { matrix } = vocabulary;
  const labels: Readonly<Record<string, Readonly<Record<string, { readonly label: string }>>>> = {
    deployTarget: matrix.deployTargets,
    serviceType: matrix.serviceTypes,
    runtimeProtocol: matrix.protocols,
  };
  const target = entryOf(matrix.deployTargets, values["deployTarget"]);
  const type = entryOf(matrix.serviceTypes, values["serviceType"]);
  const limits: Readonly<Record<string, { readonly to: readonly string[]; readonly by: string } | undefined>> = {
    serviceType: target && { to: groupOf(vocabulary, values["deployTarget"])?.serviceTypes ?? [], by: target.label },
    runtimeProtocol: type && { to: type.protocols, by: type.label },
  };
  const limit = limits[field];
  return (fieldValues(vocabulary)[field] ?? []).map((value) => {
    const label = labels[field]?.[value]?.label ?? value;
    return { value, label: limit && !limit.to.includes(value) ? `${label} (not with ${limit.by})` : label };
  });
}
