import type { Candidate, Vocabulary } from "../../core/deployments/file.ts";
import { isRecord } from "../../core/words/record.ts";
import { migrateTarget, DOCUMENT_VERSION } from "../../core/deployments/shape.ts";
import { errorText } from "../data/request-error.ts";

/**
 * The deployments document as the console holds it. Rejected entries are kept and flagged, unknown keys are kept.
 *
 * @see CONTRACT section 6
 */
export interface DeploymentsDocument {
  readonly version: typeof DOCUMENT_VERSION;
  /** The selection only, never values. An invalid one is kept and flagged. */
  readonly runtimeEnvironment?: unknown;
  readonly serviceConfiguration?: Candidate;
  readonly interfaces?: readonly Candidate[];
  readonly deployments?: readonly Candidate[];
  readonly [unknown: string]: unknown;
}

export const emptyDocument: DeploymentsDocument = { version: DOCUMENT_VERSION };

/** Returns the migrated document, or the reason why the text is not a document. */
export function readDocument(
  text: string,
  vocabulary: Vocabulary,
): { readonly document: DeploymentsDocument } | { readonly reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { reason: `It is not JSON: ${errorText(error)}` };
  }
  const reason = shapeProblem(value);
  return reason === undefined ? { document: migrateDocument(value as Candidate, vocabulary) } : { reason };
}

/** Lossless. @see the specification, "Versioning" 2 */
export function migrateDocument(value: Candidate, vocabulary: Vocabulary): DeploymentsDocument {
  const { deployments } = value as { deployments?: readonly Candidate[] };
  return {
    ...value,
    version: DOCUMENT_VERSION,
    ...(deployments && { deployments: deployments.map((entry) => migrateTarget(entry, vocabulary)) }),
  };
}

export function shapeProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return "It is not a map.";
  const { version = DOCUMENT_VERSION, runtimeEnvironment, serviceConfiguration = {} } = value;
  if (version !== DOCUMENT_VERSION) return `version is ${JSON.stringify(version)}; accepted: ${DOCUMENT_VERSION}.`;
  // Another scalar is an invalid selection; a map or a list would be values.
  if (typeof runtimeEnvironment === "object") return "runtimeEnvironment is not the name of an environment.";
  if (!isRecord(serviceConfiguration)) return "serviceConfiguration is not a map.";
  const list = (["interfaces", "deployments"] as const).find((name) => {
    const entries = value[name] ?? [];
    return !Array.isArray(entries) || !entries.every(isRecord);
  });
  return list && `${list} is not a list of maps.`;
}
