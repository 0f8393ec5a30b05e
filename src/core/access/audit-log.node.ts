import type { AuditCount, AuditLog } from "./ports.ts";
import { dirname, join } from "node:path";
import type { AuditRecord } from "../api/audit-record.ts";

import { createAppender, DEFAULT_ROTATION, rotatedPaths, type Rotation } from "../files/append.ts";
import { checkAppendable } from "../files/write.ts";
import { attempt, realpath } from "../files/system.ts";

export interface AuditLogOptions {
  readonly file: string;
  /** Without it, one log holds everything. */
  readonly pm2Home?: string;
  /** Of an earlier place, only read. */
  readonly earlier?: string;
  readonly rotation?: Rotation;
}

/**
 * Process actions have a separate log, because one PM2 serves many repositories. Only an action that begins creates a
 * missing PM2_HOME, so a refusal there is not recorded (`FileError`, ENOENT).
 */
export function auditLog({ file, pm2Home, earlier, rotation = DEFAULT_ROTATION }: AuditLogOptions): AuditLog {
  const processFile = pm2Home === undefined ? file : join(pm2Home, ".svcm", "audit.jsonl");
  // A program that asks without end must not push changes out of their log.
  const callFile = join(dirname(file), "calls.jsonl");
  const files = [...new Set([file, processFile, callFile])];
  const appenders = new Map(files.map((path) => [path, createAppender(path, rotation)]));
  const logs = [...new Set([...files, ...(earlier === undefined ? [] : [earlier])])].map((path) => [
    path,
    ...rotatedPaths(path, rotation),
  ]);
  const counts = new Map<string, AuditCount>();
  return {
    async append(record) {
      const path = record.action.startsWith("mcp.") ? callFile : isProcessAction(record) ? processFile : file;
      await attempt("record a change in", path, async () => {
        if (path === processFile && path !== file && pm2Home !== undefined && record.outcome === "refused")
          await realpath(pm2Home);
        await appenders.get(path)?.(`${JSON.stringify(record)}\n`);
      });
      const { action, outcome } = record;
      const key = `${action} ${outcome}`;
      counts.set(key, { action, outcome, count: (counts.get(key)?.count ?? 0) + 1 });
    },
    async newest(query, signal) {
      // Reading loads the record schema; most commands only append.
      const { readNewestRecords } = await import("./audit-records.node.ts");
      const read = query.calls === true ? logs : logs.filter(([path]) => path !== callFile);
      return await attempt("read", file, () => readNewestRecords(read, query, signal));
    },
    check: () => attempt("record a change in", file, () => checkAppendable(file)),
    counts: () => [...counts.values()],
  };
}

function isProcessAction({ action }: AuditRecord): boolean {
  return /^(?:(?:process|plan|logs)\.|boot\.(?:restore|save)$)/.test(action);
}
