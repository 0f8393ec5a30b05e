import { defineOperation } from "../operation.ts";
import { editDocument, type DocumentEditResponse } from "../deployments/edit-file.ts";

/** Rewrites what is left of older documents, entry by entry, without loss. @see the specification, "Versioning" 2 */
export const deploymentsMigrate = defineOperation({
  id: "deployments.migrate",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, request, caller): Promise<DocumentEditResponse> {
    const { migrateDocument } = await import("../deployments/edit/migrate-document.ts");
    return editDocument(
      ports,
      caller,
      { ...request, action: "deployments.migrate", mayCreate: false },
      migrateDocument,
    );
  },
});
