import type { JSX, TargetedEvent } from "preact";
import { useConsole } from "../../console.ts";
import { formatCount } from "../../data/format.ts";
import type { SuiteDocument } from "../../state/suite-document.ts";
import { Button } from "../../ui/Button.tsx";
import { Card } from "../../ui/Card.tsx";
import { Field } from "../../ui/Field.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { IssueList } from "../../ui/IssueList.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import { ImportForm } from "./import-form.ts";
import type { Reading } from "./read-import.ts";

const MAX_BYTES = 1_048_576;

/** Takes a document from a file or a pasted text, once it is valid and the person says so. */
export function Import(): JSX.Element {
  const { suite, facts, kept } = useConsole();
  const form = kept("import", () => new ImportForm(suite, facts.vocabulary));
  const reading = form.reading.value;
  const now = contentOf(suite.document.value);
  const take = (): void => {
    if (confirm(`Replace what this browser holds (${now}) by this document?`)) form.take();
  };
  const undo = (
    <Button size="small" onClick={() => form.undo()}>
      Undo
    </Button>
  );
  return (
    <Card title="Import">
      <div class="stack">
        <Field
          label="Document"
          hint="JSON or YAML: an export of this console, or the deployments.yaml of a repository."
        >
          {(control) => (
            <textarea
              {...control}
              rows={12}
              spellcheck={false}
              value={form.text.value}
              onInput={({ currentTarget }) => form.give(currentTarget.value)}
            />
          )}
        </Field>
        <StatusRegion>
          {reading && <Report reading={reading} fileName={form.fileName.value} />}
          {form.canUndo.value && (
            <StatusLine tone="success" action={undo}>
              Imported {now}.
            </StatusLine>
          )}
        </StatusRegion>
        <div class="form-actions">
          <ChooseFile onText={(text, name) => form.give(text, name)} />
          <Button variant="primary" icon="upload" disabled={reading?.document === undefined} onClick={take}>
            Import
          </Button>
        </div>
      </div>
    </Card>
  );
}

function ChooseFile({ onText }: { onText: (text: string, name: string) => void }): JSX.Element {
  const { toasts } = useConsole();
  const choose = async ({ currentTarget }: TargetedEvent<HTMLInputElement>): Promise<void> => {
    const [file] = currentTarget.files ?? [];
    if (file === undefined) return;
    if (file.size > MAX_BYTES) toasts.error(`${file.name} is larger than 1 MB; that is no suite document.`, "import");
    else onText(await file.text(), file.name);
    // So that the same file can be chosen again after it was mended.
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

function Report({ reading, fileName }: { reading: Reading; fileName: string }): JSX.Element {
  const { document, issues, migrated } = reading;
  const name = fileName || "This document";
  const list = <IssueList issues={issues} label="Issues of the import" isPlaced />;
  if (document === undefined) {
    return (
      <StatusLine tone="error">
        <strong>
          {name} cannot be imported: {formatCount(issues.length, "issue")}. Nothing is changed.
        </strong>
        {list}
      </StatusLine>
    );
  }
  return (
    <StatusLine tone={issues.length > 0 ? "warning" : "success"}>
      <strong>{name} is valid</strong> and holds {contentOf(document)}.
      {migrated > 0 && ` ${formatCount(migrated, "deploy target")} of an earlier version will be brought forward.`}
      {list}
    </StatusLine>
  );
}

/** For people: `2 deploy targets, 1 interface adapter, a service configuration, environment dev`. */
function contentOf({ deployments, interfaces, serviceConfiguration, runtimeEnvironment }: SuiteDocument): string {
  return [
    formatCount(deployments?.length ?? 0, "deploy target"),
    formatCount(interfaces?.length ?? 0, "interface adapter"),
    serviceConfiguration ? "a service configuration" : "no service configuration",
    runtimeEnvironment ? `environment ${runtimeEnvironment}` : "no environment",
  ].join(", ");
}
