import type { AuditRecord } from "../contract/audit-record.ts";
import { SvcmError } from "../errors.ts";
import { defineOperation } from "../operation.ts";
import { FileError } from "../ports.ts";

const DEFAULT_LIMIT = 50;

export interface AuditListResponse {
  /** Newest first, one record a mutation. */
  readonly records: readonly AuditRecord[];
}

/** Who changed what. Never a value. @see CONTRACT section 8 */
export const auditList = defineOperation({
  id: "audit.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, { limit = DEFAULT_LIMIT }): Promise<AuditListResponse> {
    try {
      return { records: await ports.audit.newest(limit) };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw new SvcmError("AUDIT_FAILED", { code: error.code, path: error.path, details: error.message });
    }
  },
});
