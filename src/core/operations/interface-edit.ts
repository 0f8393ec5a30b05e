import { editDocument } from "../deployments/edit-file.ts";
import type { DocumentEditResponse } from "../deployments/edit-response.ts";
import { defineOperation } from "../operation.ts";

export const interfaceEdit = defineOperation({
  id: "interface.edit",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { which, values, ...request }, caller): Promise<DocumentEditResponse> {
    const { editEntry, interfaceKind } = await import("../deployments/edit/index.ts");
    const how = { ...request, action: "suite.interface.edit", entry: which, mayCreate: false };
    return editDocument(ports, caller, how, (document, vocabulary) =>
      editEntry(interfaceKind, document, { which, values, clear: [] }, vocabulary),
    );
  },
});
