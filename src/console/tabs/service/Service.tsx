import type { JSX } from "preact";
import { configurationFields } from "../../../core/deployments/fields.ts";
import { lookup, portNames, type Vocabulary, type Candidate } from "../../../core/deployments/file.ts";
import { type Console, useConsole } from "../../console.ts";
import { pluralize } from "../../data/format.ts";
import { FormCard, controlOf, FormFields } from "../../ui/FormCard.tsx";
import { IssueList, StatusLine, StatusRegion } from "../../ui/Problem.tsx";
import { RepositoryState } from "../../ui/RepositoryState.tsx";
import { TabHead } from "../../ui/Card.tsx";
import { TextField } from "../../ui/Field.tsx";
import { useFocus } from "../../ui/use-focus.ts";
import { MatrixTable } from "../../ui/MatrixTable.tsx";
import { batch, computed } from "@preact/signals";
import type { Issue } from "../../../core/api/issue.ts";
import { isRecord } from "../../../core/words/record.ts";
import { changedConfiguration } from "../../../core/deployments/edit/configuration.ts";
import { splitIssues } from "../../../core/deployments/edit/edit.ts";
import { serviceConfigurationIssues } from "../../../core/deployments/validate.ts";
import { changedFields, toEdit, Form, fieldText, toText, type Values } from "../../state/form.ts";
import type { DocumentStore } from "../../state/document-store.ts";

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
      <IssueList issues={issues} label="Issues of the stored service configuration" />
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

const FIELDS = configurationFields.map(({ name }) => name);
const PORT = "ports.";

/**
 * Ports are named `ports.<name>`.
 *
 * @see the specification, "Validation rules behind rejections" 1
 */
class ConfigurationForm extends Form {
  readonly stored = computed(() => this.#store.document.value.serviceConfiguration);
  /** @see the specification, "Deploy target list behaviour" 6 */
  readonly storedIssues = computed(() => (this.stored.value ? this.#issues(this.stored.value) : []));
  readonly ports = computed(
    () => lookup(this.#vocabulary.matrix.serviceKinds, this.values.value["serviceKind"])?.ports ?? [],
  );
  readonly #store: DocumentStore;
  readonly #vocabulary: Vocabulary;

  constructor(store: DocumentStore, vocabulary: Vocabulary) {
    super();
    this.#store = store;
    this.#vocabulary = vocabulary;
  }

  fields(): readonly string[] {
    return [...FIELDS, ...this.ports.value.map((name) => PORT + name)];
  }

  isEdit(): boolean {
    return this.stored.value !== undefined;
  }

  override savedOf(field: string): string | undefined {
    return this.isEdit() && this.changed.value.includes(field) ? fieldText(this.start(), field) : undefined;
  }

  revert(): void {
    batch(() => {
      this.clear();
      this.message.value = undefined;
      this.focus.value = "form select";
    });
  }

  protected override isTyped(field: string): boolean {
    return field === "staticAssetsPath" || field.startsWith(PORT);
  }

  protected override start(): Values {
    return toTexts(this.stored.value ?? {}, portNames(this.#vocabulary.matrix));
  }

  protected override complete(given: Values): Values {
    return this.isEdit() ? given : { ...proposal(this.#vocabulary), ...this.changes.value };
  }

  /** Keeps stored ports that the kind does not bind. */
  protected override decide(): Candidate {
    const stored = this.stored.value ?? {};
    const before = isRecord(stored["ports"]) || stored["ports"] === undefined ? stored : { ...stored, ports: {} };
    const changed = changedFields(toTexts(before, this.ports.value), this.values.value, this.fields());
    const { values, clear } = toEdit(this.values.value, changed);
    const trimmed = Object.fromEntries(Object.entries(values).map(([field, value]) => [field, value.trim()]));
    return changedConfiguration(before, { values: trimmed, clear }).entry;
  }

  protected override judge(candidate: Candidate): readonly Issue[] {
    return splitIssues(this.#issues(candidate), this.stored.value ?? {}).refused;
  }

  protected override store(serviceConfiguration: Candidate): void {
    this.#store.update((document) => ({ ...document, serviceConfiguration }));
    this.clear();
    this.message.value = { tone: "success", text: "Saved the service configuration." };
  }

  /** Paths are relative to the configuration. */
  #issues(candidate: Candidate): Issue[] {
    return serviceConfigurationIssues(candidate, this.#vocabulary).map((issue) => ({
      ...issue,
      path: issue.path[0] === "serviceConfiguration" ? issue.path.slice(1) : issue.path,
    }));
  }
}

function proposal({ matrix }: Vocabulary): Values {
  const [runMode = "", mode] = Object.entries(matrix.runModes)[0] ?? [];
  const [serviceKind = ""] = Object.keys(matrix.serviceKinds);
  return { serviceKind, runMode, cloudProvider: mode?.cloudProviders[0] ?? "" };
}

function toTexts(stored: Candidate, ports: readonly string[]): Values {
  const given = isRecord(stored["ports"]) ? stored["ports"] : {};
  return Object.fromEntries([
    ...FIELDS.map((field) => [field, toText(stored[field])]),
    ...ports.map((name) => [PORT + name, toText(Object.hasOwn(given, name) ? given[name] : undefined)]),
  ]);
}
