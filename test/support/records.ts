import type { AuditLog } from "../../src/core/access/ports.ts";
import type { AuditRecord } from "../../src/core/api/audit-record.ts";

/** An audit record with this id and the given properties. */
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

/** The newest records of a log. */
export async function newestRecord(log: AuditLog, limit: number): Promise<readonly AuditRecord[]> {
  return (await log.newest({ limit })).records;
}
