import type { AuditLog } from "../ports.ts";
import { appender } from "./audit-log/append.ts";
import { newestRecords } from "./audit-log/newest.ts";
import { attempting } from "./files/file-error.ts";

/** The audit log as a file: one JSON line each, appended by any number of processes at once. */
export function auditLog({ file }: { file: string }): AuditLog {
  const append = appender(file);
  return {
    async append(record) {
      await attempting("record a change in", file, () => append(`${JSON.stringify(record)}\n`));
    },
    async newest(limit) {
      return await attempting("read", file, () => newestRecords(file, limit));
    },
  };
}
