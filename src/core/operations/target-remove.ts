import { editDocument } from "../deployments/edit-file.ts";
import type { DocumentEditResponse } from "../deployments/edit-response.ts";
import { defineOperation } from "../operation.ts";

export const targetRemove = defineOperation({
  id: "target.remove",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { name, ...request }, caller): Promise<DocumentEditResponse> {
    const { removeEntry, targetKind } = await import("../deployments/edit/index.ts");
    const how = { ...request, action: "suite.target.remove", entry: name, mayCreate: false };
    return editDocument(ports, caller, how, (document) => removeEntry(targetKind, document, name));
  },
});
