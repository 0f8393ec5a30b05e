import type { AuditRecord } from "../api/audit-record.ts";

/** The append-only log of mutations. */
export interface AuditLog {
  /**
   * Appends one record and syncs it to disk before resolving.
   *
   * @throws {FileError} if the record cannot be made durable.
   */
  append(record: AuditRecord): Promise<void>;

  /**
   * The newest attempts first, one record each: its outcome, or `started` if it was cut off. Torn or foreign lines are
   * skipped; a log that does not exist is empty.
   *
   * @throws {FileError} if the log cannot be read; the signal's reason if it is aborted.
   */
  newest(query: AuditQuery, signal?: AbortSignal): Promise<AuditPage>;

  /**
   * Checks that a change could be recorded now. Creates nothing.
   *
   * @throws {FileError} with the reason that `append` would have, as far as permissions show it.
   */
  check(): Promise<void>;

  /** The number of records that this process appended, by action and outcome. */
  counts(): readonly AuditCount[];
}

export interface AuditQuery {
  readonly limit: number;
  /** Milliseconds since the epoch; older records are left out. */
  readonly since?: number | undefined;
  readonly outcome?: AuditRecord["outcome"] | undefined;
  /** A part of the action, environment, key, process, target or actor; case does not matter. */
  readonly text?: string | undefined;
}

export interface AuditPage {
  readonly records: readonly AuditRecord[];
  /** False if a part of the log was not read because it holds too many bytes without a record. */
  readonly isComplete: boolean;
}

export interface AuditCount extends Pick<AuditRecord, "action" | "outcome"> {
  readonly count: number;
}
