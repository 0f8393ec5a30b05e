import { auditRecord, type AuditRecord } from "../../api/audit-record.ts";

/** A record as a file holds it: members that svcm does not know are left out. */
const storedRecord = auditRecord.strip();

/** The record that a line holds, or undefined if the line is torn or foreign. */
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
