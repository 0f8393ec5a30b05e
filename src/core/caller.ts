import type { AuditSource } from "./api/names.ts";

/** Reads are open; a write needs a grant. */
export type Access = "read" | "write";

/** The person or program behind a request, the face it came through, and its grants. */
export interface Caller {
  readonly source: AuditSource;
  readonly actor?: string;
  readonly grants: readonly Access[];
  /** Aborted when the caller leaves, so that a long reading ends. */
  readonly signal?: AbortSignal;
}
