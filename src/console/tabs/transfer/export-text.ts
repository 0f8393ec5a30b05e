import { SECTIONS, DOCUMENT_VERSION } from "../../../core/deployments/shape.ts";
import { isRecord } from "../../../core/words/record.ts";
import { writeYaml } from "../../../core/yaml/write.ts";
import type { DeploymentsDocument } from "../../state/deployments-document.ts";

/** @see CONTRACT section 6 */
export const formats = {
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

export type Format = keyof typeof formats;

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
