import { defineOperation } from "../operation.ts";
import { editDocument } from "../deployments/edit-file.ts";
import type { DocumentEditResponse } from "../deployments/edit-response.ts";

/** Refuses a bad value; never coerces it. */
export const configurationSet = defineOperation({
  id: "configuration.set",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, { values, clear, ...request }, caller): Promise<DocumentEditResponse> {
    const { setConfiguration } = await import("../deployments/edit/index.ts");
    const how = { ...request, action: "suite.configuration.set", mayCreate: true };
    return editDocument(ports, caller, how, (document, vocabulary) =>
      setConfiguration(document, { values, clear }, vocabulary),
    );
  },
});
