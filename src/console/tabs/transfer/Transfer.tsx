import type { JSX, TargetedEvent } from "preact";
import { RepositoryState } from "../../ui/RepositoryState.tsx";
import { TabHead, Card } from "../../ui/Card.tsx";
import { signal } from "@preact/signals";
import { validateDocument } from "../../../core/deployments/validate.ts";
import { useConsole } from "../../console.ts";
import { download } from "../../data/download.ts";
import { pluralize } from "../../data/format.ts";
import { Button, Icon } from "../../ui/Button.tsx";
import { Copy } from "../../ui/Copy.tsx";
import { IssueList, StatusLine, StatusRegion, ProblemText } from "../../ui/Problem.tsx";
import { RadioGroup, Field } from "../../ui/Field.tsx";
import { SECTIONS, DOCUMENT_VERSION } from "../../../core/deployments/shape.ts";
import { isRecord } from "../../../core/words/record.ts";
import { writeYaml } from "../../../core/yaml/write.ts";
import type { DeploymentsDocument } from "../../state/document-store.ts";
import type { Problem } from "../../data/request-error.ts";
import { ImportForm, type ImportResult } from "./import-form.ts";

/** @see the specification, "Versioning" 4 */
export function Transfer(): JSX.Element {
  return (
    <div class="stack">
      <TabHead
        title="Export and import"
        about="Service configuration, interfaces, deploy targets and the selected environment, as one document."
      />
      <RepositoryState />
      <div class="transfer-columns">
        <Export />
        <Import />
      </div>
    </div>
  );
}

/** @see CONTRACT section 6 */
const formats = {
  json: {
    label: "JSON",
    fileName: "service-management.json",
    mime: "application/json",
    write: (document: DeploymentsDocument) => `${JSON.stringify(sortSections(document), null, 2)}\n`,
  },
  yaml: {
    label: "YAML",
    fileName: "deployments.yaml",
    mime: "application/yaml",
    write: (document: DeploymentsDocument) => `${SCHEMA_LINE}\n${writeYaml(sortSections(document))}`,
  },
} as const;

type Format = keyof typeof formats;

const SCHEMA_LINE = `# yaml-language-server: $schema=./schemas/${DOCUMENT_VERSION}.schema.json`;

function sortSections(document: DeploymentsDocument): object {
  const known = Object.keys(SECTIONS).filter((name) => document[name] !== undefined);
  const unknown = Object.keys(document).filter((name) => !known.includes(name));
  return Object.fromEntries([...known, ...unknown].map((name) => [name, movePortsLast(document[name])]));
}

function movePortsLast(section: unknown): unknown {
  if (!isRecord(section) || section["ports"] === undefined) return section;
  const { ports, ...others } = section;
  return { ...others, ports };
}

const choices = Object.entries(formats).map(([value, { label }]) => ({ value, label }));

function Export(): JSX.Element {
  const { store, getOrCreate } = useConsole();
  const format = getOrCreate("export-format", () => signal<Format>("json"));
  const { fileName, mime, write } = formats[format.value];
  const text = write(store.document.value);
  return (
    <Card
      title="Export"
      actions={
        <RadioGroup
          label="Format"
          value={format.value}
          options={choices}
          onChange={(value) => void (format.value = value as Format)}
        />
      }
    >
      <div class="stack">
        <ExportWarnings />
        <div class="transfer-file">
          <div class="transfer-name">
            <code>{fileName}</code>
            <Copy text={text} what={fileName} />
          </div>
          <pre tabIndex={0} role="group" aria-label={`Content of ${fileName}`}>
            {text}
          </pre>
        </div>
        <div class="form-actions">
          <Button variant="primary" icon="download" onClick={() => download(fileName, text, mime)}>
            Download {fileName}
          </Button>
        </div>
      </div>
    </Card>
  );
}

function ExportWarnings(): JSX.Element {
  const { store, facts, declarations } = useConsole();
  const issues = validateDocument(store.document.value, facts.vocabulary);
  return (
    <>
      {declarations.isKnown.value && Object.keys(store.document.value).length === 1 && (
        <StatusLine tone="info">
          Nothing is described yet. Fill in the service configuration and the deploy targets, or import a document.
        </StatusLine>
      )}
      {issues.length > 0 && (
        <StatusLine tone="warning">
          <strong>{pluralize(issues.length, "issue")}: svcm validate will refuse this document.</strong>
          <IssueList issues={issues} label="Issues of the document" isPlaced isCounted />
        </StatusLine>
      )}
    </>
  );
}

const MAX_BYTES = 4 * 2 ** 20;

function Import(): JSX.Element {
  const page = useConsole();
  const form = page.getOrCreate("import", () => new ImportForm(page));
  const reading = form.reading.value;
  const now = describeContent(page.store.document.value);
  const take = async (): Promise<void> => {
    if (await page.questions.ask({ title: `Replace (${now}) with this document?`, verb: "Replace" })) form.take();
  };
  const undo = (
    <Button size="small" onClick={() => form.undo()}>
      Undo
    </Button>
  );
  return (
    <Card title="Import">
      <div class="stack">
        <Text form={form} />
        <StatusRegion>
          {form.isChecking.value && <StatusLine tone="info">Checking the document…</StatusLine>}
          {reading && <Report reading={reading} form={form} />}
          {form.canUndo.value && (
            <StatusLine tone="success" action={undo}>
              Imported {now}.
            </StatusLine>
          )}
        </StatusRegion>
        <div class="form-actions">
          <ChooseFile onFile={(file) => form.setFile(file)} />
          <Button
            variant="primary"
            icon="upload"
            disabled={reading?.document === undefined}
            onClick={() => void take()}
          >
            Import
          </Button>
        </div>
      </div>
    </Card>
  );
}

function Text({ form }: { form: ImportForm }): JSX.Element {
  return (
    <Field label="Document" hint="JSON or YAML: an export of this console, or the deployments.yaml of a repository.">
      {(control) => (
        <textarea
          {...control}
          rows={12}
          spellcheck={false}
          value={form.text.value}
          onInput={({ currentTarget }) => form.setText(currentTarget.value)}
        />
      )}
    </Field>
  );
}

function ChooseFile({ onFile }: { onFile: (file: File) => Promise<void> }): JSX.Element {
  const { toasts } = useConsole();
  const choose = async ({ currentTarget }: TargetedEvent<HTMLInputElement>): Promise<void> => {
    const [file] = currentTarget.files ?? [];
    if (file === undefined) return;
    if (file.size > MAX_BYTES)
      toasts.error(`${file.name} is larger than 4 MB, which is more than svcm reads.`, "import");
    else await onFile(file).catch(() => toasts.error(`${file.name} cannot be read.`, "import"));
    // Without this, the browser ignores the same file after it was fixed.
    currentTarget.value = "";
  };
  return (
    <label class="button plain normal file">
      <input type="file" accept=".json,.yaml,.yml" onChange={(event) => void choose(event)} />
      <Icon name="file" />
      Choose a file
    </label>
  );
}

function Report({ reading, form }: { reading: ImportResult; form: ImportForm }): JSX.Element {
  const { document, issues, migrated, problem, reason } = reading;
  const name = form.fileName.value || "This document";
  const hasErrors = issues.some(({ severity }) => severity === "error");
  const list = <IssueList issues={issues} label="Issues of the import" isPlaced />;
  if (problem) return <Unread name={name} problem={problem} form={form} />;
  if (document === undefined) {
    return (
      <StatusLine tone="error">
        <strong>{name} cannot be imported. Nothing is changed.</strong> {reason}
        {list}
      </StatusLine>
    );
  }
  return (
    <StatusLine tone={issues.length > 0 ? "warning" : "success"}>
      <strong>{hasErrors ? name : `${name} is valid`}</strong> {hasErrors ? "has" : "and has"}{" "}
      {describeContent(document)}.
      {migrated > 0 && ` ${pluralize(migrated, "deploy target")} of an earlier version will be migrated.`}
      {hasErrors &&
        ` ${pluralize(issues.length, "issue")}: invalid entries are imported as they are, and stay flagged.`}
      {list}
    </StatusLine>
  );
}

function Unread({ name, problem, form }: { name: string; problem: Problem; form: ImportForm }): JSX.Element {
  const again = (
    <Button size="small" onClick={() => form.setText(form.text.value, form.fileName.value)}>
      Try again
    </Button>
  );
  return (
    <StatusLine tone="error" action={again}>
      <strong>{name} could not be checked. Nothing is changed.</strong>
      <ProblemText problem={problem} />
    </StatusLine>
  );
}

function describeContent({
  deployments,
  interfaces,
  serviceConfiguration,
  runtimeEnvironment,
}: DeploymentsDocument): string {
  return [
    pluralize(deployments?.length ?? 0, "deploy target"),
    pluralize(interfaces?.length ?? 0, "interface adapter"),
    serviceConfiguration ? "a service configuration" : "no service configuration",
    runtimeEnvironment === undefined ? "no environment" : `environment ${environmentText(runtimeEnvironment)}`,
  ].join(", ");
}

function environmentText(selection: unknown): string {
  return typeof selection === "string" ? selection : JSON.stringify(selection);
}
