import type { AuditCount, AuditLog } from "../ports.ts";
import { appender } from "./audit-log/append.ts";
import { newestRecords } from "./audit-log/newest.ts";
import { attempting } from "./files/file-error.ts";

/** The audit log as a file: one JSON line each, appended by any number of processes at once. */
export function auditLog({ file }: { file: string }): AuditLog {
  const append = appender(file);
  const counts = new Map<string, AuditCount>();
  return {
    async append(record) {
      await attempting("record a change in", file, () => append(`${JSON.stringify(record)}\n`));
      const { action, outcome } = record;
      const key = `${action} ${outcome}`;
      counts.set(key, { action, outcome, count: (counts.get(key)?.count ?? 0) + 1 });
    },
    async newest(limit) {
      return await attempting("read", file, () => newestRecords(file, limit));
    },
    counts: () => [...counts.values()],
  };
}
