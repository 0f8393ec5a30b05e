import { editDocument } from "../deployments/edit-file.ts";
import type { DocumentEditResponse } from "../deployments/edit-response.ts";
import { defineOperation } from "../operation.ts";

export const interfaceAdd = defineOperation({
  id: "interface.add",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { values, ...request }, caller): Promise<DocumentEditResponse> {
    const { addInterface } = await import("../deployments/edit/interface.ts");
    const how = { ...request, action: "suite.interface.add", entry: values["controller"], mayCreate: true };
    return editDocument(ports, caller, how, (document, vocabulary) => addInterface(document, values, vocabulary));
  },
});
