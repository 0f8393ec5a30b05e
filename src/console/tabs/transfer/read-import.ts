import type { Candidate } from "../../../core/deployments/candidate.ts";
import { isRecord } from "../../../core/words/record.ts";
import { isLegacyTarget } from "../../../core/deployments/migrate.ts";
import type { Vocabulary } from "../../../core/deployments/vocabulary.ts";
import type { Problem } from "../../data/request-error.ts";
import { migrateDocument, reasonAgainst, type DeploymentsDocument } from "../../state/deployments-document.ts";
import type { ShownIssue } from "../../ui/IssueList.tsx";

/** A text that was read; without a document if it cannot be read. */
export interface ReadText {
  readonly document?: unknown;
  readonly issues: readonly ShownIssue[];
}

export interface Reading {
  /** Absent if the text cannot be read as a document. */
  readonly document?: DeploymentsDocument;
  readonly issues: readonly ShownIssue[];
  /** Deploy targets in the form of an earlier version, which are migrated. */
  readonly migrated: number;
  /** Why it cannot be read as a document, if the issues do not say it. */
  readonly reason?: string;
  readonly problem?: Problem;
}

/**
 * The document of a text as it would be loaded from the browser's storage: legacy deploy targets are migrated, and
 * entries with issues are kept and flagged. Only what is not a document is refused.
 *
 * @see the specification, "Versioning" 2 and 4
 */
export function readingOf({ document, issues }: ReadText, vocabulary: Vocabulary): Reading {
  if (document === undefined) return { issues, migrated: 0 };
  const reason = reasonAgainst(document);
  if (reason !== undefined) return { issues, migrated: 0, reason };
  const map = document as Candidate;
  return { document: migrateDocument(map, vocabulary), issues, migrated: legacyCount(map) };
}

function legacyCount({ deployments }: Candidate): number {
  const list: unknown[] = Array.isArray(deployments) ? deployments : [];
  return list.filter((entry) => isRecord(entry) && isLegacyTarget(entry)).length;
}

/** A text that is meant to be JSON, without the server: places are missing then. `undefined` for YAML. */
export function readJson(text: string, fileName: string): ReadText | undefined {
  if (!/\.json$/i.test(fileName) && !/^\s*[{[]/.test(text)) return undefined;
  try {
    return { issues: [], document: JSON.parse(text.replace(/^\uFEFF/, "")) as unknown };
  } catch (error) {
    const message = `is not JSON: ${error instanceof Error ? error.message : String(error)}`;
    return { issues: [{ code: "JSON_SYNTAX", severity: "error", path: [], message }] };
  }
}
