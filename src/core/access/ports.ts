import type { HasClock, HasHost } from "../files/ports.ts";
import type { HasWorkspace } from "../project/port-repository.ts";
import type { AuditRecord } from "../api/audit-record.ts";
import type { StoredToken } from "./tokens.ts";

/** The ports of an audited change. */
export interface Audited extends HasAudit, HasClock, HasHost, HasWorkspace {}

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

/** The tokens of a repository, in `.svcm/tokens.json`. */
export interface Tokens {
  /**
   * Reads the file only after a change. Synchronous, because every request with a token needs it.
   * @returns `undefined` if there is no file: the repository has never had a token
   * @throws {SvcmError} TOKENS_FAILED
   */
  current(): readonly StoredToken[] | undefined;

  /**
   * Replaces the tokens in one locked transaction. `beforeWrite` runs before the first byte is written.
   * @throws {SvcmError} TOKENS_FAILED; errors of `decide` and `beforeWrite` pass through
   */
  update(
    decide: (tokens: readonly StoredToken[]) => readonly StoredToken[],
    beforeWrite: () => Promise<void>,
  ): Promise<void>;

  /** Creates a secret. */
  createSecret(): string;
}

export interface HasTokens {
  readonly tokens: Tokens;
}
