import { SECTIONS, DOCUMENT_VERSION } from "../../../core/deployments/shape.ts";
import { isMap } from "../../../core/deployments/candidate.ts";
import { writeYaml } from "../../../core/yaml/write.ts";
import type { SuiteDocument } from "../../state/suite-document.ts";

/** The formats of an exported document. @see CONTRACT section 6 */
export const formats = {
  json: {
    label: "JSON",
    fileName: "service-management.json",
    mime: "application/json",
    write: (suite: SuiteDocument) => `${JSON.stringify(inOrder(suite), null, 2)}\n`,
  },
  yaml: {
    label: "YAML",
    fileName: "deployments.yaml",
    mime: "application/yaml",
    write: (suite: SuiteDocument) => `${SCHEMA_LINE}\n${writeYaml(inOrder(suite))}`,
  },
} as const;

export type Format = keyof typeof formats;

const SCHEMA_LINE = `# yaml-language-server: $schema=./schemas/${DOCUMENT_VERSION}.schema.json`;

function inOrder(suite: SuiteDocument): object {
  const known = Object.keys(SECTIONS).filter((name) => suite[name] !== undefined);
  const unknown = Object.keys(suite).filter((name) => !known.includes(name));
  return Object.fromEntries([...known, ...unknown].map((name) => [name, portsLast(suite[name])]));
}

function portsLast(section: unknown): unknown {
  if (!isMap(section) || section["ports"] === undefined) return section;
  const { ports, ...others } = section;
  return { ...others, ports };
}
