import type { Candidate } from "../../../core/deployments/file.ts";
import { isRecord } from "../../../core/words/record.ts";
import { isLegacyTarget } from "../../../core/deployments/migrate.ts";
import type { Vocabulary } from "../../../core/deployments/vocabulary.ts";
import { errorText, type Problem } from "../../data/request-error.ts";
import { migrateDocument, shapeProblem, type DeploymentsDocument } from "../../state/deployments-document.ts";
import type { DisplayedIssue } from "../../ui/IssueList.tsx";

export interface ParsedText {
  readonly document?: unknown;
  readonly issues: readonly DisplayedIssue[];
}

export interface ImportResult {
  readonly document?: DeploymentsDocument;
  readonly issues: readonly DisplayedIssue[];
  /** The number of deploy targets migrated from an earlier form. */
  readonly migrated: number;
  /** Why the text is not a document, if the issues do not explain it. */
  readonly reason?: string;
  readonly problem?: Problem;
}

/**
 * Migrates legacy deploy targets; entries with issues are kept and flagged.
 *
 * @see the specification, "Versioning" 2 and 4
 */
export function toImportResult({ document, issues }: ParsedText, vocabulary: Vocabulary): ImportResult {
  if (document === undefined) return { issues, migrated: 0 };
  const reason = shapeProblem(document);
  if (reason !== undefined) return { issues, migrated: 0, reason };
  const map = document as Candidate;
  return { document: migrateDocument(map, vocabulary), issues, migrated: legacyCount(map) };
}

function legacyCount({ deployments }: Candidate): number {
  const list: unknown[] = Array.isArray(deployments) ? deployments : [];
  return list.filter((entry) => isRecord(entry) && isLegacyTarget(entry)).length;
}

/** Reads JSON without the server; issues then have no positions. `undefined` for YAML. */
export function readJson(text: string, fileName: string): ParsedText | undefined {
  if (!/\.json$/i.test(fileName) && !/^\s*[{[]/.test(text)) return undefined;
  try {
    return { issues: [], document: JSON.parse(text.replace(/^\uFEFF/, "")) as unknown };
  } catch (error) {
    const message = `is not JSON: ${errorText(error)}`;
    return { issues: [{ code: "JSON_SYNTAX", severity: "error", path: [], message }] };
  }
}
