import { isValid, type Issue } from "../../../core/api/issue.ts";
import { isLegacyTarget } from "../../../core/deployments/migrate.ts";
import { type Candidate, isMap } from "../../../core/deployments/candidate.ts";
import { validateSource } from "../../../core/deployments/validate.ts";
import type { Vocabulary } from "../../../core/deployments/vocabulary.ts";
import { scanYaml } from "../../../core/yaml/scan/scan.ts";
import type { Problem } from "../../data/request-error.ts";
import type { ShownIssue } from "../../ui/IssueList.tsx";
import { migrateSuite, reasonAgainst, type SuiteDocument } from "../../state/suite-document.ts";

/** What a text would bring. */
export interface Reading {
  /** Absent if the text cannot be read as a document. */
  readonly document?: SuiteDocument;
  readonly issues: readonly ShownIssue[];
  /** Deploy targets in the form of an earlier version, which are brought forward. */
  readonly migrated: number;
  /** Why it cannot be read as a document, where the issues do not say it. */
  readonly reason?: string;
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
  // In JSON a tab is only space, and the scan does not accept tabs.
  const source = scanYaml(isJson ? text.replaceAll("\t", " ") : text, fileName);
  if (source === undefined) return undefined;
  const issues = validateSource(source, vocabulary);
  return isValid(source.issues) ? readingOf(source.value, issues, vocabulary) : { issues, migrated: 0 };
}

/**
 * What a value would bring, as it would be loaded from the browser's storage: legacy deploy targets are migrated, what
 * the validators find wrong is kept and flagged. Refused is only what cannot be read as a document.
 *
 * @see the specification, "Versioning" 2 and 4
 */
export function readingOf(value: unknown, issues: readonly ShownIssue[], vocabulary: Vocabulary): Reading {
  const reason = reasonAgainst(value);
  if (reason !== undefined) return { issues, migrated: 0, reason };
  const suite = value as Candidate;
  return { document: migrateSuite(suite, vocabulary), issues, migrated: legacyCount(suite) };
}

function legacyCount({ deployments }: Candidate): number {
  const list: unknown[] = Array.isArray(deployments) ? deployments : [];
  return list.filter((entry) => isMap(entry) && isLegacyTarget(entry)).length;
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
