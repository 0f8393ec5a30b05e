import { editDocument } from "../deployments/edit-file.ts";
import type { DocumentEditResponse } from "../deployments/edit-response.ts";
import { defineOperation } from "../operation.ts";

/** @see the specification, "Deploy target list behaviour" */
export const targetAdd = defineOperation({
  id: "target.add",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { values, ...request }, caller): Promise<DocumentEditResponse> {
    const { addEntry, targetKind } = await import("../deployments/edit/index.ts");
    const how = { ...request, action: "suite.target.add", entry: values["name"], mayCreate: true };
    return editDocument(ports, caller, how, (document, vocabulary) =>
      addEntry(targetKind, document, values, vocabulary),
    );
  },
});
