import { defineOperation } from "../operation.ts";
import { editSuite, type SuiteEditResponse } from "../deployments/edit-file.ts";

/** Adds an interface adapter that the gate accepts. */
export const interfaceAdd = defineOperation({
  id: "interface.add",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { values, ...request }, caller): Promise<SuiteEditResponse> {
    const { addInterface } = await import("../deployments/edit/interface.ts");
    const how = { ...request, action: "suite.interface.add", entry: values["controller"], mayCreate: true };
    return editSuite(ports, caller, how, (suite, vocabulary) => addInterface(suite, values, vocabulary));
  },
});

/** Changes an interface adapter in place, through the same gate. */
export const interfaceEdit = defineOperation({
  id: "interface.edit",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { which, values, ...request }, caller): Promise<SuiteEditResponse> {
    const { editInterface } = await import("../deployments/edit/interface.ts");
    const how = { ...request, action: "suite.interface.edit", entry: which, mayCreate: false };
    return editSuite(ports, caller, how, (suite, vocabulary) => editInterface(suite, { which, values }, vocabulary));
  },
});

export const interfaceRemove = defineOperation({
  id: "interface.remove",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { which, ...request }, caller): Promise<SuiteEditResponse> {
    const { removeInterface } = await import("../deployments/edit/interface.ts");
    const how = { ...request, action: "suite.interface.remove", entry: which, mayCreate: false };
    return editSuite(ports, caller, how, (suite) => removeInterface(suite, which));
  },
});
