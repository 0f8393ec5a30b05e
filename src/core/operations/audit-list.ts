import type { AuditListResponse } from "../api/bodies.ts";
import { SvcmError } from "../errors.ts";
import { defineOperation } from "../operation.ts";
import { FileError } from "../ports/index.ts";

const DEFAULT_LIMIT = 50;

/** Records contain no values. @see CONTRACT section 8 */
export const auditList = defineOperation({
  id: "audit.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, { limit = DEFAULT_LIMIT, ...filter }, { signal }): Promise<AuditListResponse> {
    try {
      const { records, isComplete } = await ports.audit.newest({ limit, ...filter }, signal);
      return { records, complete: isComplete };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw new SvcmError("AUDIT_FAILED", { code: error.code, path: error.path, details: error.message });
    }
  },
});
