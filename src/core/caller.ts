import type { AuditSource } from "./api/names.ts";

/** Reads are open; a write needs a grant. */
export type Access = "read" | "write";

export interface Caller {
  readonly source: AuditSource;
  readonly actor?: string;
  readonly grants: readonly Access[];
  readonly signal?: AbortSignal;
  readonly report?: Progress;
}

export type Progress = (progress: { readonly done: number; readonly total: number; readonly label: string }) => void;
