import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { validateDocument } from "../../../core/deployments/validate.ts";
import { useConsole } from "../../console.ts";
import { download } from "../../data/download.ts";
import { pluralize } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import { Card } from "../../ui/Card.tsx";
import { Copy } from "../../ui/Copy.tsx";
import { IssueList } from "../../ui/IssueList.tsx";
import { RadioGroup } from "../../ui/RadioGroup.tsx";
import { StatusLine } from "../../ui/StatusLine.tsx";
import { SECTIONS, DOCUMENT_VERSION } from "../../../core/deployments/shape.ts";
import { isRecord } from "../../../core/words/record.ts";
import { writeYaml } from "../../../core/yaml/write.ts";
import type { DeploymentsDocument } from "../../state/deployments-document.ts";

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

export function Export(): JSX.Element {
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
