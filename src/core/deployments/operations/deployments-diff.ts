import { readSource } from "../../yaml/read.ts";
import { diffDeployments } from "../diff/diff.ts";
import { maskChange } from "../diff/report/mask.ts";
import { validateSource } from "../validate.ts";
import type { HasFiles } from "../../files/port-files.ts";
import type { HasWorkspace, HasFacts } from "../../project/port-repository.ts";
import type { HasRevisions } from "../../files/port-revisions.ts";
import { isValid } from "../../api/issue.ts";
import { refusal, SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";

import type { DiffReport, DiffSide } from "../diff/change.ts";
import { isRecord } from "../../words/record.ts";
import type { Candidate } from "../candidate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { DEPLOYMENTS_FILE, readDocumentIfExists, documentPath, documentText, vocabularyOf } from "../file.ts";

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
