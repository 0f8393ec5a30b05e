import { editDocument } from "../deployments/edit-file.ts";
import type { DocumentEditResponse } from "../deployments/edit-response.ts";
import { defineOperation } from "../operation.ts";

export const interfaceAdd = defineOperation({
  id: "interface.add",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { values, ...request }, caller): Promise<DocumentEditResponse> {
    const { addEntry, interfaceKind } = await import("../deployments/edit/index.ts");
    const how = { ...request, action: "suite.interface.add", entry: values["controller"], mayCreate: true };
    return editDocument(ports, caller, how, (document, vocabulary) =>
      addEntry(interfaceKind, document, values, vocabulary),
    );
  },
});
