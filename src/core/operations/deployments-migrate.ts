import { defineOperation } from "../operation.ts";
import { editDocument } from "../deployments/edit-file.ts";
import type { DocumentEditResponse } from "../deployments/edit-response.ts";

/** @see the specification, "Versioning" 2 */
export const deploymentsMigrate = defineOperation({
  id: "deployments.migrate",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, request, caller): Promise<DocumentEditResponse> {
    const { migrateDocument } = await import("../deployments/edit/index.ts");
    return editDocument(ports, caller, { ...request, action: "suite.migrate", mayCreate: false }, migrateDocument);
  },
});
