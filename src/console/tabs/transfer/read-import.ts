import type { Issue } from "../../../core/contract/issue.ts";
import { isLegacyTarget } from "../../../core/suite/migrate.ts";
import type { Candidate } from "../../../core/suite/rule.ts";
import { isMap } from "../../../core/suite/shape.ts";
import { validateSource } from "../../../core/suite/validate.ts";
import type { Vocabulary } from "../../../core/suite/vocabulary.ts";
import { scanYaml } from "../../../core/yaml/scan/scan.ts";
import type { Problem } from "../../data/request-error.ts";
import type { ShownIssue } from "../../ui/IssueList.tsx";
import { migrateSuite, type SuiteDocument } from "../../state/suite-document.ts";

/** What a text would bring. */
export interface Reading {
  /** Absent where something stands in the way. */
  readonly document?: SuiteDocument;
  readonly issues: readonly ShownIssue[];
  /** Deploy targets in the form of an earlier version, which are brought forward. */
  readonly migrated: number;
  /** Why the server, which was asked to read the text, did not. */
  readonly problem?: Problem;
}

/**
 * Reads a text that is to be imported, JSON or YAML, and validates it; nothing else happens.
 *
 * @returns `undefined` for a text that takes the whole language of YAML to read, or to say what is wrong with it
 */
export function readImport(text: string, fileName: string, vocabulary: Vocabulary): Reading | undefined {
  const isJson = /\.json$/i.test(fileName) || /^\s*[{[]/.test(text);
  const fault = isJson ? jsonFault(text) : undefined;
  if (fault) return { issues: [fault], migrated: 0 };
  // In JSON a tab is nothing but space, and the scan knows no tabs.
  const source = scanYaml(isJson ? text.replaceAll("\t", " ") : text, fileName);
  return source && readingOf(source.value, validateSource(source, vocabulary), vocabulary);
}

/**
 * What a validated value would bring. Legacy deploy targets are brought forward; of those, a deploy target that the
 * matrix does not know is told and stays, as a warning.
 *
 * @see the specification, "Versioning" 2 and 4
 */
export function readingOf(value: unknown, found: readonly ShownIssue[], vocabulary: Vocabulary): Reading {
  if (!isMap(value)) return { issues: found, migrated: 0 };
  const legacy = legacyOf(value);
  const issues = found.map((issue) => (isKept(issue, legacy) ? kept(issue) : issue));
  if (issues.some(({ severity }) => severity === "error")) return { issues, migrated: legacy.size };
  return { document: migrateSuite(value, vocabulary), issues, migrated: legacy.size };
}

function legacyOf({ deployments }: Candidate): Set<unknown> {
  const list: unknown[] = Array.isArray(deployments) ? deployments : [];
  return new Set(list.flatMap((entry, index) => (isMap(entry) && isLegacyTarget(entry) ? [index] : [])));
}

/** A legacy value without a counterpart in the matrix: kept literally, flagged by the vocabulary rule. */
function isKept(issue: ShownIssue, legacy: ReadonlySet<unknown>): boolean {
  const [section, index, field] = issue.path;
  const isOfTarget = section === "deployments" && field === "deployTarget" && legacy.has(index);
  return issue.code === "TARGET_VALUE_UNKNOWN" && isOfTarget;
}

function kept(issue: ShownIssue): ShownIssue {
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
