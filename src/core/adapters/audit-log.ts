import type { AuditRecord } from "../contract/audit-record.ts";
import type { AuditCount, AuditLog } from "../ports.ts";
import { appender } from "./audit-log/append.ts";
import { newestRecords } from "./audit-log/newest.ts";
import { DEFAULT_ROTATION, olderFiles, type Rotation } from "./audit-log/rotate.ts";
import { attempting } from "./files/file-error.ts";

export interface AuditLogOptions {
  /** The log of what concerns files. */
  readonly file: string;
  /** The log of what concerns processes; the same one by default. */
  readonly processFile?: string;
  readonly rotation?: Rotation;
}

/**
 * The audit log as files of one JSON line each, appended to by any number of processes at once. What concerns processes
 * is kept apart, because one PM2 is asked from many folders; a reader sees one log.
 */
export function auditLog({ file, processFile = file, rotation = DEFAULT_ROTATION }: AuditLogOptions): AuditLog {
  const files = [...new Set([file, processFile])];
  const appenders = new Map(files.map((path) => [path, appender(path, rotation)]));
  const logs = files.map((path) => [path, ...olderFiles(path, rotation)]);
  const counts = new Map<string, AuditCount>();
  return {
    async append(record) {
      const path = isAboutProcesses(record) ? processFile : file;
      await attempting("record a change in", path, () => appenders.get(path)?.(`${JSON.stringify(record)}\n`));
      const { action, outcome } = record;
      const key = `${action} ${outcome}`;
      counts.set(key, { action, outcome, count: (counts.get(key)?.count ?? 0) + 1 });
    },
    newest: (query, signal) => attempting("read", file, () => newestRecords(logs, query, signal)),
    counts: () => [...counts.values()],
  };
}

function isAboutProcesses({ action }: AuditRecord): boolean {
  return action.startsWith("process.");
}
