import type { HasRevisions } from "../../files/port-revisions.ts";
import type { HasFiles } from "../../files/port-files.ts";
import type { HasFacts } from "../../project/port-repository.ts";
import type { Audited } from "../../access/ports.ts";
import type { DeclarationsResponse } from "../../api/declarations.ts";
import { changeDocument } from "../edit-file.ts";
import { defineOperation } from "../../access/operation.ts";
import { toDeclarations } from "./declarations-read.ts";
import type { TaggedResponse } from "../../env/operations/env-read.ts";

/** Changes the lines of the document that differ from the draft, atomically and audited, or changes nothing. */
export const declarationsWrite = defineOperation({
  id: "declarations.write",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(
    ports: Audited & HasFacts & HasFiles & HasRevisions,
    { document: draft, ifMatch },
    caller,
  ): Promise<TaggedResponse<DeclarationsResponse>> {
    const { applyDraft, refuseIssues } = await import("../edit/index.ts");
    const options = { dryRun: false, action: "suite.write", mayCreate: true, ifMatch };
    const { planned } = await changeDocument(ports, caller, options, (document, vocabulary) => {
      const { edit, newErrors } = applyDraft(document, draft, vocabulary);
      refuseIssues(newErrors, []);
      return edit;
    });
    return await toDeclarations(ports, planned.text);
  },
});
