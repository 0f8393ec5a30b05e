import { editDocument } from "../deployments/edit-file.ts";
import type { DocumentEditResponse } from "../deployments/edit-response.ts";
import { defineOperation } from "../operation.ts";

export const interfaceRemove = defineOperation({
  id: "interface.remove",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { which, ...request }, caller): Promise<DocumentEditResponse> {
    const { removeEntry, interfaceKind } = await import("../deployments/edit/index.ts");
    const how = { ...request, action: "suite.interface.remove", entry: which, mayCreate: false };
    return editDocument(ports, caller, how, (document) => removeEntry(interfaceKind, document, which));
  },
});
