import { defineOperation } from "../operation.ts";
import { editDocument, type DocumentEditResponse } from "../deployments/edit-file.ts";

/** Adds a deploy target that the gate accepts. @see the specification, "Deploy target list behaviour" */
export const targetAdd = defineOperation({
  id: "target.add",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { values, ...request }, caller): Promise<DocumentEditResponse> {
    const { addTarget } = await import("../deployments/edit/target.ts");
    const how = { ...request, action: "suite.target.add", entry: values["name"], mayCreate: true };
    return editDocument(ports, caller, how, (document, vocabulary) => addTarget(document, values, vocabulary));
  },
});

/** Changes a deploy target in place, through the same gate; it may keep its own name. */
export const targetEdit = defineOperation({
  id: "target.edit",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { name, values, clear, ...request }, caller): Promise<DocumentEditResponse> {
    const { editTarget } = await import("../deployments/edit/target.ts");
    const how = { ...request, action: "suite.target.edit", entry: name, mayCreate: false };
    return editDocument(ports, caller, how, (document, vocabulary) =>
      editTarget(document, { name, values, clear }, vocabulary),
    );
  },
});

/** Adds an independent deep copy under a name of its own. */
export const targetDuplicate = defineOperation({
  id: "target.duplicate",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { name, as, ...request }, caller): Promise<DocumentEditResponse> {
    const { duplicateTarget } = await import("../deployments/edit/target.ts");
    const how = { ...request, action: "suite.target.duplicate", entry: name, mayCreate: false };
    return editDocument(ports, caller, how, (document, vocabulary) =>
      duplicateTarget(document, { name, as }, vocabulary),
    );
  },
});

export const targetRemove = defineOperation({
  id: "target.remove",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { name, ...request }, caller): Promise<DocumentEditResponse> {
    const { removeTarget } = await import("../deployments/edit/target.ts");
    const how = { ...request, action: "suite.target.remove", entry: name, mayCreate: false };
    return editDocument(ports, caller, how, (document) => removeTarget(document, name));
  },
});
