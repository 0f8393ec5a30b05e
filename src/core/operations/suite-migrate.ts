import { defineOperation } from "../operation.ts";
import { editSuite, type SuiteEditResponse } from "../deployments/edit-file.ts";

/** Rewrites what is left of older documents, entry by entry, without loss. @see the specification, "Versioning" 2 */
export const suiteMigrate = defineOperation({
  id: "suite.migrate",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports, request, caller): Promise<SuiteEditResponse> {
    const { migrateSuite } = await import("../deployments/edit/migrate-suite.ts");
    return editSuite(ports, caller, { ...request, action: "suite.migrate", mayCreate: false }, migrateSuite);
  },
});
