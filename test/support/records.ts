import type { AuditRecord } from "../../src/core/contract/audit-record.ts";

/** An audit record with this id, and what a test wants to have different. */
export function recordOf(id: string, fields: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id,
    timestamp: "2026-01-02T03:04:05.678Z",
    action: "env.write",
    environment: "dev",
    keys: ["SVC_DATABASE_DRIVER", "SVC_HTTP_PORT"],
    source: "cli",
    outcome: "succeeded",
    ...fields,
  };
}
