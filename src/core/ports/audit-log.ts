import type { AuditRecord } from "../api/audit-record.ts";

export interface AuditLog {
  /** Appends one record and syncs it to disk. @throws {FileError} if the record cannot be made durable */
  append(record: AuditRecord): Promise<void>;

  /**
   * The newest attempts first, one record each: the outcome, or `started` if it was interrupted. Skips torn and foreign
   * lines; a missing log is empty.
   * @throws {FileError} if the log cannot be read; the signal's reason if it is aborted
   */
  newest(query: AuditQuery, signal?: AbortSignal): Promise<AuditPage>;

  /** Creates nothing. @throws {FileError} as `append`, if permissions show it */
  check(): Promise<void>;

  /** Records that this process appended, by action and outcome. */
  counts(): readonly AuditCount[];
}

export interface AuditQuery {
  readonly limit: number;
  /** Milliseconds since 1970; older records are left out. */
  readonly since?: number | undefined;
  readonly outcome?: AuditRecord["outcome"] | undefined;
  /** A part of the action, environment, key, process, target or actor, in any case. */
  readonly text?: string | undefined;
}

export interface AuditPage {
  readonly records: readonly AuditRecord[];
  /** False if a part of the log was too large to read and had no record. */
  readonly isComplete: boolean;
}

export interface AuditCount extends Pick<AuditRecord, "action" | "outcome"> {
  readonly count: number;
}
