import { editDocument } from "../deployments/edit-file.ts";
import type { DocumentEditResponse } from "../deployments/edit-response.ts";
import { defineOperation } from "../operation.ts";

export const targetDuplicate = defineOperation({
  id: "target.duplicate",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { name, as, ...request }, caller): Promise<DocumentEditResponse> {
    const { duplicateTarget } = await import("../deployments/edit/index.ts");
    const how = { ...request, action: "suite.target.duplicate", entry: name, mayCreate: false };
    return editDocument(ports, caller, how, (document, vocabulary) =>
      duplicateTarget(document, { name, as }, vocabulary),
    );
  },
});
