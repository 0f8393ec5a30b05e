import { readSource } from "../../yaml/read.ts";
import { subjectsOf, validateSource, validateDocument } from "../validate.ts";
import type { HasFiles, HasRevisions } from "../../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { DeploymentsVerdict } from "../../api/bodies.ts";
import { isValid } from "../../api/issue.ts";
import { defineOperation } from "../../access/operation.ts";
import type { Report } from "../../findings/rule.ts";
import {
  DEPLOYMENTS_FILE,
  readDocument,
  documentText,
  vocabularyOf,
  type Candidate,
  readDocumentIfExists,
  documentPath,
  type Vocabulary,
} from "../file.ts";
import { SvcmError, refusal } from "../../api/errors.ts";
import { decodeUtf8, describeInvalidUtf8 } from "../../words/utf8.ts";
import { diffDeployments } from "../diff/diff.ts";
import type { DiffReport, DiffSide, Change, FieldChange } from "../diff/change.ts";
import { isRecord } from "../../words/record.ts";
import { ecosystemSpellings } from "../../project/resolve.ts";
import { maskMembers, maskMember } from "../../secrets/source-lines.ts";
import { migrateTarget } from "../shape.ts";
import { maskCredentials } from "../../secrets/redact.ts";

export interface DeploymentsCheckResponse extends Omit<DeploymentsVerdict, "document"> {
  /** The name that the caller gave, relative to the repository root. */
  readonly file: string;
}

export interface DeploymentsCheck {
  readonly response: DeploymentsCheckResponse;
  readonly report: Report;
  /** The document with masked credentials; `undefined` if it cannot be read. */
  readonly maskedDocument: () => unknown;
}

export const deploymentsCheck = defineOperation({
  id: "deployments.check",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(
    ports: HasFacts & HasFiles & HasWorkspace,
    { file = DEPLOYMENTS_FILE, section, content },
  ): Promise<DeploymentsCheck> {
    const vocabulary = await vocabularyOf(ports);
    const text = content === undefined ? await readDocument(ports, file) : documentText(content, file);
    const source = readSource(text, file);
    const all = validateSource(source, vocabulary);
    // An issue without a path concerns every section.
    const issues = section === undefined ? all : all.filter(({ path }) => path.length === 0 || path[0] === section);
    const report = { file, text, issues, subjects: subjectsOf(source.value) };
    return {
      response: { file, valid: isValid(issues), issues },
      report,
      maskedDocument: () => maskDocument(source.value, vocabulary),
    };
  },
});

/** Writes nothing. Only issues of YAML text have locations. @see CONTRACT section 3 */
export const deploymentsValidate = defineOperation({
  id: "suite.validate",
  access: "read",
  refusal: "INVALID_PAYLOAD",
  async run(ports: HasFacts, document): Promise<DeploymentsVerdict> {
    const vocabulary = await vocabularyOf(ports);
    if (document instanceof Uint8Array) return validated(requireUtf8(document), vocabulary);
    const issues = validateDocument(document, vocabulary);
    return { valid: isValid(issues), issues };
  },
});

/** A text has no file name, so locations use the default name. */
function validated(text: string, vocabulary: Vocabulary): DeploymentsVerdict {
  const source = readSource(text, DEPLOYMENTS_FILE);
  const issues = validateSource(source, vocabulary);
  const { value } = source;
  return { valid: isValid(issues), issues, document: isJson(value) ? value : undefined };
}

/** @throws {SvcmError} INVALID_PAYLOAD if the bytes are not UTF-8 */
function requireUtf8(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new SvcmError("INVALID_PAYLOAD", { details: describeInvalidUtf8(bytes) });
  return text;
}

/** JSON would change `.inf` and `.nan` to null. */
function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isJson);
}

interface RevisionText extends Pick<DiffSide, "revision" | "commit"> {
  readonly text: string | undefined;
}

export const deploymentsDiff = defineOperation({
  id: "deployments.diff",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(
    ports: HasFacts & HasFiles & HasRevisions & HasWorkspace,
    { file = DEPLOYMENTS_FILE, from, to },
  ): Promise<DiffReport> {
    const vocabulary = await vocabularyOf(ports);
    const older = await readRevision(ports, file, from);
    const newer: RevisionText =
      to === undefined ? { text: await readDocumentIfExists(ports, file) } : await readRevision(ports, file, to);
    if (older.text === undefined && newer.text === undefined)
      throw missingEverywhere(documentPath(ports, file), [older, newer]);
    const [before, after] = [readSide(older, file, vocabulary), readSide(newer, file, vocabulary)];
    const { changes, notes } = diffDeployments(before.document, after.document, vocabulary);
    return { file, from: before.side, to: after.side, changes: changes.map(maskChange), notes };
  },
});

async function readRevision(ports: HasRevisions & HasWorkspace, file: string, revision: string): Promise<RevisionText> {
  const path = documentPath(ports, file);
  const { commit, bytes } = await ports.revisions.read(revision, path);
  return { revision, commit, text: bytes && documentText(bytes, path) };
}

function missingEverywhere(path: string, sides: readonly RevisionText[]): SvcmError {
  const places = sides.map(({ revision }) => revision ?? "the work tree").join(" nor in ");
  return new SvcmError("SUITE_FILE_FAILED", {
    code: "SUITE_FILE_NOT_FOUND",
    path,
    details: `There is no such file, neither in ${places}.`,
  });
}

/** @throws {SvcmError} SUITE_FILE_FAILED with every issue if the text is not a document */
function readSide(
  { text, ...side }: RevisionText,
  file: string,
  vocabulary: Vocabulary,
): { readonly side: DiffSide; readonly document: Candidate } {
  if (text === undefined) return { side: { ...side, exists: false, valid: true, issues: [] }, document: {} };
  const place = side.revision === undefined ? file : `${side.revision}:${file}`;
  const source = readSource(text, place);
  const issues = validateSource(source, vocabulary);
  if (!isRecord(source.value)) throw refusal("SUITE_FILE_FAILED", issues);
  return { side: { ...side, exists: true, valid: isValid(issues), issues }, document: source.value };
}

export const schemaShow = defineOperation({
  id: "schema.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ facts }: HasFacts, { document }): Promise<Record<string, unknown>> {
    if (document === "asyncapi") {
      const { asyncApiDocument } = await import("../../api/asyncapi.ts");
      const spellings = ecosystemSpellings(await facts.runtimeContract(), await facts.capabilityMatrix());
      return asyncApiDocument([...spellings.keys()]);
    }
    if (document === "deployments") {
      const { documentSchema } = await import("../schema/document.ts");
      return documentSchema({ contract: await facts.runtimeContract(), matrix: await facts.capabilityMatrix() });
    }
    const { jsonSchemaOf } = await import("../../project/facts/json-schema.ts");
    return jsonSchemaOf(document);
  },
});

export function maskDocument(document: unknown, vocabulary: Vocabulary): unknown {
  if (!isRecord(document)) return document;
  const { deployments } = document;
  if (!Array.isArray(deployments)) return maskMembers(document);
  const migrated = deployments.map((entry: unknown) => (isRecord(entry) ? migrateTarget(entry, vocabulary) : entry));
  return maskMembers({ ...document, deployments: migrated });
}

/** Runs after the comparison, so that masked values are still compared. */
export function maskChange(change: Change): Change {
  const { name, previousName } = change;
  return {
    ...change,
    ...(name !== undefined && { name: maskCredentials(name) }),
    ...(previousName !== undefined && { previousName: maskCredentials(previousName) }),
    fields: change.fields.map(maskField),
    effects: change.effects.map((effect) =>
      effect.kind === "unknown" ? { ...effect, value: maskMember(effect.field, effect.value) } : effect,
    ),
  };
}

function maskField({ field, ...values }: FieldChange): FieldChange {
  return {
    field: maskCredentials(field),
    ...("from" in values && { from: maskMember(field, values.from) }),
    ...("to" in values && { to: maskMember(field, values.to) }),
  };
}
