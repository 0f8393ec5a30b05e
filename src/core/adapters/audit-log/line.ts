import { auditRecord, type AuditRecord } from "../../api/audit-record.ts";

/** Drops members that svcm does not know. */
const storedRecord = auditRecord.strip();

/** `undefined` for a torn or foreign line. */
export function parseLine(line: string): AuditRecord | undefined {
  try {
    const fields = JSON.parse(line) as Record<string, unknown>;
    // Older logs have an empty environment instead of none.
    if (fields["environment"] === "") delete fields["environment"];
    return storedRecord.safeParse(fields).data;
  } catch {
    return undefined;
  }
}
