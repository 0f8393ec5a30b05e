import type { JSX } from "preact";
import { fieldsOf } from "../../../core/deployments/shape.ts";
import { entryOf } from "../../../core/deployments/vocabulary.ts";
import { type Console, useConsole } from "../../console.ts";
import { formatCount } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import { Card } from "../../ui/Card.tsx";
import { IssueList } from "../../ui/IssueList.tsx";
import { headings } from "../../ui/MatrixTable.tsx";
import { type Option, Select } from "../../ui/Select.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import { TabHead } from "../../ui/TabHead.tsx";
import { TextField } from "../../ui/TextField.tsx";
import { useFocus } from "../../ui/use-focus.ts";
import { ConfigurationForm } from "./configuration-form.ts";
import { ProviderMatrix } from "./ProviderMatrix.tsx";

/** The service configuration profile. */
export function Service(): JSX.Element {
  const form = configurationForm(useConsole());
  const root = useFocus(form.focus);
  const { runMode, cloudProvider } = form.values.value;
  return (
    <div class="stack" ref={root}>
      <TabHead
        title="Service configuration"
        about="What the service is and where it runs. Checked by the same rules as svcm validate."
      />
      <StatusRegion>
        <Stored form={form} />
      </StatusRegion>
      <ServiceForm form={form} />
      <ProviderMatrix runMode={runMode} cloudProvider={cloudProvider} />
    </div>
  );
}

/** The form outlives the leaving of the tab. */
export function configurationForm({ kept, suite, facts }: Console): ConfigurationForm {
  return kept("service", () => new ConfigurationForm(suite, facts.vocabulary));
}

function Stored({ form }: { form: ConfigurationForm }): JSX.Element {
  const issues = form.storedIssues.value;
  if (form.stored.value === undefined) {
    return (
      <StatusLine tone="info">
        <strong>No service configuration is saved yet.</strong> Check the defaults, enter the port, and save.
      </StatusLine>
    );
  }
  if (issues.length === 0) return <StatusLine tone="success">The saved configuration is valid.</StatusLine>;
  return (
    <StatusLine tone="error">
      <strong>
        The saved configuration is not valid: {formatCount(issues.length, "issue")}. It is unchanged; fix it below.
      </strong>
      <IssueList issues={issues} label="Issues of the stored service configuration" />
    </StatusLine>
  );
}

function ServiceForm({ form }: { form: ConfigurationForm }): JSX.Element {
  const said = form.said.value;
  const known = new Set([...fieldsOf("serviceConfiguration"), ...form.ports.value.map(nameOfPort)]);
  const elsewhere = form.issues.value.filter(({ path }) => !known.has(path.join(".")));
  const submit = (event: Event): void => {
    event.preventDefault();
    form.save();
  };
  return (
    <Card title="Profile">
      <form class="entry-form" noValidate onSubmit={submit}>
        <Fields form={form} />
        <IssueList issues={elsewhere} label="Issues of the form" />
        <StatusRegion>{said && <StatusLine tone={said.tone}>{said.text}</StatusLine>}</StatusRegion>
        <div class="form-actions">
          {form.isDirty.value && <Button onClick={() => form.revert()}>Revert</Button>}
          <Button type="submit" variant="primary" icon="check">
            Save configuration
          </Button>
        </div>
      </form>
    </Card>
  );
}

function Fields({ form }: { form: ConfigurationForm }): JSX.Element {
  const { matrix } = useConsole().facts;
  const [issues, values] = [form.issues.value, form.values.value];
  const field = (name: string) => ({
    name,
    value: values[name] ?? "",
    issues: issues.filter(({ path }) => path.join(".") === name),
    ...wasOf(form, name),
  });
  const text = (name: string) => ({ ...field(name), onInput: (value: string) => form.set(name, value) });
  const choice = (name: string) => ({ ...field(name), onChange: (value: string) => form.set(name, value) });
  return (
    <div class="fields">
      <Select label="Service kind" {...choice("serviceKind")} options={named(matrix.serviceKinds)} />
      <Select label="Run mode" {...choice("runMode")} options={named(matrix.runModes)} />
      <Select
        label="Cloud provider"
        {...choice("cloudProvider")}
        options={named(matrix.cloudProviders)}
        hint={providersOf(values["runMode"], matrix)}
      />
      <TextField label="Static assets" {...text("staticAssetsPath")} hint="A path; optional." placeholder="public" />
      {form.ports.value.map((name) => (
        <TextField
          key={name}
          label={`${labelOfPort(name, matrix)} port`}
          {...text(nameOfPort(name))}
          inputMode="numeric"
        />
      ))}
    </div>
  );
}

type Matrix = Console["facts"]["matrix"];

function named(record: Parameters<typeof headings>[0]): Option[] {
  return headings(record).map(({ id, label }) => ({ value: id, label }));
}

function nameOfPort(name: string): string {
  return `ports.${name}`;
}

/** A listener is called as the protocol that it serves. */
function labelOfPort(name: string, matrix: Matrix): string {
  return entryOf(matrix.protocols, name)?.label ?? name.toUpperCase();
}

function providersOf(runMode: string | undefined, matrix: Matrix): string | undefined {
  const mode = entryOf(matrix.runModes, runMode);
  if (mode === undefined) return undefined;
  const labels = mode.cloudProviders.map((provider) => entryOf(matrix.cloudProviders, provider)?.label ?? provider);
  return `${mode.label} is offered by ${labels.join(", ")}.`;
}

/** The saved value of a field that the form changes. */
function wasOf({ stored, before, values }: ConfigurationForm, name: string): { was?: string } {
  if (stored.value === undefined) return {};
  const was = before.value[name] ?? "";
  return was === (values.value[name] ?? "") ? {} : { was };
}
