import { isValid, type Issue } from "../../../core/contract/issue.ts";
import { isLegacyTarget } from "../../../core/suite/migrate.ts";
import type { Candidate } from "../../../core/suite/rule.ts";
import { isMap, shapeFinding } from "../../../core/suite/shape.ts";
import { validateSource } from "../../../core/suite/validate.ts";
import type { Vocabulary } from "../../../core/suite/vocabulary.ts";
import { scanYaml } from "../../../core/yaml/scan/scan.ts";
import { migrateSuite, type SuiteDocument } from "../../state/suite-document.ts";

/** What a text would bring. */
export interface Reading {
  /** Absent where something stands in the way. */
  readonly document?: SuiteDocument;
  readonly issues: readonly Issue[];
  /** Deploy targets in the form of an earlier version, which are brought forward. */
  readonly migrated: number;
}

/**
 * Reads a text that is to be imported, JSON or YAML, and validates it; nothing else happens. Legacy deploy targets are
 * brought forward; of those, a deploy target that the matrix does not know is told and stays, as a warning.
 *
 * @see the specification, "Versioning" 2 and 4
 */
export function readImport(text: string, fileName: string, vocabulary: Vocabulary): Reading {
  const isJson = /\.json$/i.test(fileName) || /^\s*[{[]/.test(text);
  const fault = isJson ? jsonFault(text) : undefined;
  if (fault) return { issues: [fault], migrated: 0 };
  // In JSON a tab is nothing but space, and the scan knows no tabs.
  const source = scanYaml(isJson ? text.replaceAll("\t", " ") : text, fileName);
  if (source === undefined) return { issues: [unread(isJson)], migrated: 0 };
  if (!isMap(source.value)) return { issues: [{ ...wrongShape(source.value), at: source.at([]) }], migrated: 0 };
  const legacy = legacyOf(source.value);
  const issues = validateSource(source, vocabulary).map((issue) => (isKept(issue, legacy) ? kept(issue) : issue));
  if (!isValid(issues)) return { issues, migrated: legacy.size };
  return { document: migrateSuite(source.value, vocabulary), issues, migrated: legacy.size };
}

function legacyOf({ deployments }: Candidate): Set<unknown> {
  const list: unknown[] = Array.isArray(deployments) ? deployments : [];
  return new Set(list.flatMap((entry, index) => (isMap(entry) && isLegacyTarget(entry) ? [index] : [])));
}

/** A legacy value without a counterpart in the matrix: kept literally, flagged by the vocabulary rule. */
function isKept({ code, path: [section, index, field] }: Issue, legacy: ReadonlySet<unknown>): boolean {
  return code === "TARGET_VALUE_UNKNOWN" && section === "deployments" && field === "deployTarget" && legacy.has(index);
}

function kept(issue: Issue): Issue {
  return { ...issue, severity: "warning", message: `${issue.message}. It is kept as it is, and stays flagged.` };
}

function jsonFault(text: string): Issue | undefined {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ""));
    return undefined;
  } catch (error) {
    const message = `is not JSON: ${error instanceof Error ? error.message : String(error)}`;
    return { code: "JSON_SYNTAX", severity: "error", path: [], message };
  }
}

function wrongShape(value: unknown): Issue {
  const { code, message } = shapeFinding([], "a map", value);
  return { code, severity: "error", path: [], message };
}

function unread(isJson: boolean): Issue {
  const message = isJson
    ? "this JSON is not read here: a key stands twice, or it holds control characters; `svcm validate` says where"
    : "this YAML is not read here; accepted: maps and lists in block style with values on one line, as the export writes them, each key once. `svcm validate` reads all of YAML, and says what is wrong with it";
  return { code: "YAML_SYNTAX", severity: "error", path: [], message };
}
