import type { HasAudit } from "../port-audit-log.ts";
import { FileError } from "../../files/port-files.ts";
import type { AuditListResponse } from "../../api/bodies.ts";
import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../operation.ts";

const DEFAULT_LIMIT = 50;

/** Records contain no values. @see CONTRACT section 8 */
export const auditList = defineOperation({
  id: "audit.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasAudit, { limit = DEFAULT_LIMIT, ...filter }, { signal }): Promise<AuditListResponse> {
    try {
      const { records, isComplete } = await ports.audit.newest({ limit, ...filter }, signal);
      return { records, complete: isComplete };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw new SvcmError("AUDIT_FAILED", { code: error.code, path: error.path, details: error.message });
    }
  },
});
