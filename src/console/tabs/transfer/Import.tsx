import type { JSX, TargetedEvent } from "preact";
import { useConsole } from "../../console.ts";
import { pluralize } from "../../data/format.ts";
import type { Problem } from "../../data/request-error.ts";
import type { DeploymentsDocument } from "../../state/deployments-document.ts";
import { Button } from "../../ui/Button.tsx";
import { Card } from "../../ui/Card.tsx";
import { Field } from "../../ui/Field.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { IssueList } from "../../ui/IssueList.tsx";
import { ProblemText } from "../../ui/Problem.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import { ImportForm } from "./import-form.ts";
import type { ImportResult } from "./read-import.ts";

const MAX_BYTES = 4 * 2 ** 20;

export function Import(): JSX.Element {
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
