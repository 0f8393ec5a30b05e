import { defineOperation } from "../operation.ts";
import { editDocument, type DocumentEditResponse } from "../deployments/edit-file.ts";

/** Adds an interface adapter that the gate accepts. */
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

/** Changes an interface adapter in place, through the same gate. */
export const interfaceEdit = defineOperation({
  id: "interface.edit",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { which, values, ...request }, caller): Promise<DocumentEditResponse> {
    const { editInterface } = await import("../deployments/edit/interface.ts");
    const how = { ...request, action: "suite.interface.edit", entry: which, mayCreate: false };
    return editDocument(ports, caller, how, (document, vocabulary) =>
      editInterface(document, { which, values }, vocabulary),
    );
  },
});

export const interfaceRemove = defineOperation({
  id: "interface.remove",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { which, ...request }, caller): Promise<DocumentEditResponse> {
    const { removeInterface } = await import("../deployments/edit/interface.ts");
    const how = { ...request, action: "suite.interface.remove", entry: which, mayCreate: false };
    return editDocument(ports, caller, how, (document) => removeInterface(document, which));
  },
});
