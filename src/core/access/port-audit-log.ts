import type { AuditRecord } from "../api/audit-record.ts";

export interface AuditLog {
  /** Appends one record and syncs it to disk. @throws {FileError} if the record cannot be made durable */
  append(record: AuditRecord): Promise<void>;

  /**
   * Returns the newest attempts first, one record each: the outcome, or `started` if the attempt was interrupted. Skips
   * torn and foreign lines; a missing log counts as empty.
   * @throws {FileError} if the log cannot be read; the signal's reason if it is aborted
   */
  newest(query: AuditQuery, signal?: AbortSignal): Promise<AuditPage>;

  /** Checks without creating anything that `append` may write. @throws {FileError} as `append` */
  check(): Promise<void>;

  /** The number of records that this process appended, by action and outcome. */
  counts(): readonly AuditCount[];
}

export interface AuditQuery {
  readonly limit: number;
  /** Also returns what programs asked over the Model Context Protocol. */
  readonly calls?: boolean | undefined;
  /** Milliseconds since 1970; older records are omitted. */
  readonly since?: number | undefined;
  readonly outcome?: AuditRecord["outcome"] | undefined;
  /** Part of the action, environment, key, process, target or actor, ignoring case. */
  readonly text?: string | undefined;
}

export interface AuditPage {
  readonly records: readonly AuditRecord[];
  /** False if a part of the log was too large to read. */
  readonly isComplete: boolean;
}

export interface AuditCount extends Pick<AuditRecord, "action" | "outcome"> {
  readonly count: number;
}

export interface HasAudit {
  readonly audit: AuditLog;
}
