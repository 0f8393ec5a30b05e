import type { JSX } from "preact";
import { configurationFields } from "../../../core/deployments/fields.ts";
import { lookup } from "../../../core/deployments/vocabulary.ts";
import { type Console, useConsole } from "../../console.ts";
import { pluralize } from "../../data/format.ts";
import { FormCard } from "../../ui/FormCard.tsx";
import { controlOf, FormFields } from "../../ui/FormFields.tsx";
import { IssueList } from "../../ui/IssueList.tsx";
import { RepositoryState } from "../../ui/RepositoryState.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import { TabHead } from "../../ui/TabHead.tsx";
import { TextField } from "../../ui/TextField.tsx";
import { useFocus } from "../../ui/use-focus.ts";
import { ConfigurationForm } from "./configuration-form.ts";
import { MatrixTable } from "../../ui/MatrixTable.tsx";

export function Service(): JSX.Element {
  const page = useConsole();
  const { matrix } = page.facts;
  const form = configurationForm(page);
  const root = useFocus(form.focus);
  const { runMode, cloudProvider } = form.values.value;
  return (
    <div class="stack" ref={root}>
      <TabHead
        title="Service configuration"
        about="The kind of the service and the place where it runs. Checked by the same rules as svcm validate."
      />
      <RepositoryState />
      <StatusRegion>
        <Stored form={form} />
      </StatusRegion>
      <FormCard
        form={form}
        title="Profile"
        submit={{ label: "Save configuration", icon: "check" }}
        cancel={form.isDirty.value && { label: "Revert", run: () => form.revert() }}
      >
        <FormFields form={form} fields={configurationFields} />
        {form.ports.value.map((name) => {
          // A listener is named after its protocol.
          const label = `${lookup(matrix.protocols, name)?.label ?? name.toUpperCase()} port`;
          return <TextField key={name} {...controlOf(form, `ports.${name}`, label)} inputMode="numeric" />;
        })}
      </FormCard>
      <ProviderMatrix runMode={runMode} cloudProvider={cloudProvider} />
    </div>
  );
}

export function configurationForm({ getOrCreate, store, facts }: Console): ConfigurationForm {
  return getOrCreate("service", () => new ConfigurationForm(store, facts.vocabulary));
}

function Stored({ form }: { form: ConfigurationForm }): JSX.Element | null {
  const { isKnown } = useConsole().declarations;
  const issues = form.storedIssues.value;
  if (form.stored.value === undefined) {
    return !isKnown.value ? null : (
      <StatusLine tone="info">
        <strong>No service configuration is saved yet.</strong> Check the defaults, enter the port, and save.
      </StatusLine>
    );
  }
  if (issues.length === 0) return <StatusLine tone="success">The saved configuration is valid.</StatusLine>;
  return (
    <StatusLine tone="error">
      <strong>
        The saved configuration is not valid: {pluralize(issues.length, "issue")}. It is unchanged; fix it below.
      </strong>
      <IssueList issues={issues} label="Issues of the stored service configuration" isCounted />
    </StatusLine>
  );
}

function ProviderMatrix(props: { runMode: unknown; cloudProvider: unknown }): JSX.Element {
  const { matrix } = useConsole().facts;
  return (
    <MatrixTable
      title="Run modes and cloud providers"
      axes={["Cloud provider", "run mode"]}
      rows={matrix.cloudProviders}
      columns={matrix.runModes}
      isAccepted={(provider, mode) => lookup(matrix.runModes, mode)?.cloudProviders.includes(provider) === true}
      chosen={[props.cloudProvider, props.runMode]}
    />
  );
}
