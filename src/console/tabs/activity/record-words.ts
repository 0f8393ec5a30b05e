import type { AuditRecord } from "../../../core/api/audit-record.ts";
import { formatTime } from "../../data/format.ts";

export interface RecordWords {
  /** In the time zone of the browser. */
  readonly when: string;
  readonly action: string;
  readonly environment: string;
  /** The requested target, and the processes that the action concerned. */
  readonly subjects: readonly string[];
  readonly keys: readonly string[];
  readonly by: string;
  readonly outcome: AuditRecord["outcome"];
  readonly code: string;
  readonly times: string;
}

export function wordsOf(record: AuditRecord): RecordWords {
  const { timestamp, action, environment = "", service, keys = [], processes = [], target, outcome } = record;
  const { actor, source, address, node, code = "", count = 1 } = record;
  const named = processes.map(({ name, pmId }) => (pmId === null ? name : `${name} (id ${pmId})`));
  return {
    when: formatTime(timestamp),
    action,
    environment: [service, environment].filter(Boolean).join(", "),
    subjects: [...(target === undefined ? [] : [target]), ...named],
    keys,
    by: [actor, source, address, node].filter(Boolean).join(", "),
    outcome,
    code,
    times: count > 1 ? `${count} times` : "",
  };
}
