import { editDocument } from "../deployments/edit-file.ts";
import type { DocumentEditResponse } from "../deployments/edit-response.ts";
import { defineOperation } from "../operation.ts";

/** The target may keep its own name. */
export const targetEdit = defineOperation({
  id: "target.edit",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { name, values, clear, ...request }, caller): Promise<DocumentEditResponse> {
    const { editEntry, targetKind } = await import("../deployments/edit/index.ts");
    const how = { ...request, action: "suite.target.edit", entry: name, mayCreate: false };
    return editDocument(ports, caller, how, (document, vocabulary) =>
      editEntry(targetKind, document, { which: name, values, clear }, vocabulary),
    );
  },
});
