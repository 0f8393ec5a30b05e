import type { Limits } from "../api/limits.ts";
import type { AuditSource } from "../api/names.ts";
import type { Right, Role } from "../api/rights.ts";

/** Needed for an operation. */
export type Access = Right;

export interface Identity {
  /** The system user, the name of the token, or `anonymous`. */
  readonly actor?: string;
  readonly grants: readonly Access[];
  /** Absent without a token. */
  readonly role?: Role;
  readonly limits?: Limits;
}

export interface Caller extends Identity {
  readonly source: AuditSource;
  readonly signal?: AbortSignal;
  /** The name that the client program gave itself. */
  readonly client?: string;
  /** Set for a step of a rollout over several nodes. */
  readonly step?: RolloutStep;
  readonly report?: Progress;
  /** Gets each line of a long operation while it works. A line contains no secret. */
  readonly say?: (line: string) => void;
}

/** A step is carried out once. A repeated request gets the recorded response. */
export interface RolloutStep {
  readonly rollout: string;
  readonly step: number;
  /** Called directly before the first effect. @throws {SvcmError} APPLY_LOCKED with ROLLOUT_MOVED_ON */
  confirm(): Promise<void>;
}

export type Progress = (progress: { readonly done: number; readonly total: number; readonly label: string }) => void;

/** A caller who may write files may also act on processes. */
export function isGranted(grants: readonly Access[], access: Access): boolean {
  return grants.includes(access) || (access === "act" && grants.includes("write"));
}
