import type { HasFiles } from "../../files/port-files.ts";
import type { HasRevisions } from "../../files/port-revisions.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { DeclarationsResponse } from "../../api/declarations.ts";
import { isValid } from "../../api/issue.ts";
import { defineOperation } from "../../access/operation.ts";

import { DEPLOYMENTS_FILE, documentPath, readDocumentIfExists, vocabularyOf } from "../file.ts";
import { isRecord } from "../../words/record.ts";
import type { TaggedResponse } from "../../env/operations/env-read.ts";

/** Reads the document of the repository and validates it. Credentials are masked. */
export const declarationsRead = defineOperation({
  id: "declarations.read",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasFacts & HasFiles & HasRevisions & HasWorkspace): Promise<TaggedResponse<DeclarationsResponse>> {
    return await toDeclarations(ports, await readDocumentIfExists(ports, DEPLOYMENTS_FILE));
  },
});

/** @param text `undefined` if the file does not exist */
export async function toDeclarations(
  ports: HasFacts & HasRevisions & HasWorkspace,
  text: string | undefined,
): Promise<TaggedResponse<DeclarationsResponse>> {
  const [{ readSource }, { validateSource }, { maskDocument: shownDocument }, vocabulary] = await Promise.all([
    import("../../yaml/read.ts"),
    import("../validate.ts"),
    import("../mask.ts"),
    vocabularyOf(ports),
  ]);
  const path = documentPath(ports, DEPLOYMENTS_FILE);
  const source = readSource(text ?? "", DEPLOYMENTS_FILE);
  const issues = text === undefined ? [] : validateSource(source, vocabulary);
  const document = shownDocument(source.value, vocabulary);
  return {
    response: {
      file: DEPLOYMENTS_FILE,
      path,
      exists: text !== undefined,
      valid: isValid(issues),
      issues,
      ...(isRecord(document) && { document }),
      ...(await readRevision(ports, path)),
    },
    bytes: new TextEncoder().encode(text ?? ""),
  };
}

async function readRevision(
  { revisions }: HasRevisions,
  path: string,
): Promise<Pick<DeclarationsResponse, "revision">> {
  const state = await revisions.readState(() => Promise.resolve([path]));
  if (state === undefined) return {};
  const isTracked = (await revisions.listTracked([DEPLOYMENTS_FILE])).length > 0;
  return { revision: { commit: state.commit, isChanged: !isTracked || state.dirty.includes(path) } };
}
