import { auditRecord, type AuditRecord } from "../../api/audit-record.ts";
import { recordIn } from "../../words/record-in.ts";

/** Drops members that svcm does not know. */
const storedRecord = auditRecord.strip();

/** `undefined` for a torn or foreign line. */
export function parseLine(line: string): AuditRecord | undefined {
  const fields = recordIn(line);
  const { environment, ...others } = fields ?? {};
  // Older logs have an empty environment instead of none.
  return storedRecord.safeParse(environment === "" ? others : fields).data;
}
