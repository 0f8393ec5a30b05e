import type { InputOf, OperationId } from "../api/inputs.ts";
import type { ErrorKind } from "../api/errors.ts";
import type { Limits, Right, Role } from "../api/rights.ts";
import type { AuditSource } from "../api/names.ts";

interface Definition<Input, Output, Needs> {
  readonly id: OperationId;
  readonly access: Access;
  /** The error of an invalid input; `INVALID_REQUEST` by default. */
  readonly refusal?: Extract<ErrorKind, "INVALID_PAYLOAD" | "INVALID_REQUEST">;
  /** Without an environment, it is about that of the machine, if one is known. */
  readonly isForMachine?: true;
  run(ports: Needs, input: Input, caller: Caller): Promise<Output>;
}

/** `api/inputs.ts` has the input under the same id. */
export interface Operation<Input, Output, Needs = never> extends Definition<Input, Output, Needs> {
  readonly refusal: NonNullable<Definition<Input, Output, Needs>["refusal"]>;
}

export function defineOperation<Id extends OperationId, Output, Needs>(
  operation: Definition<InputOf<Id>, Output, Needs> & { readonly id: Id },
): Operation<InputOf<Id>, Output, Needs> {
  return { refusal: "INVALID_REQUEST", ...operation };
}

export interface NodeAsker {
  /**
   * @param asker the node permits only what both this user and the asker may do
   * @throws {SvcmError} the refusal of the node, FLEET_FAILED, FORBIDDEN
   */
  ask<Input, Output>(
    node: string,
    operation: Operation<Input, Output>,
    input: Input,
    timeoutMs: number,
    asker?: Identity,
  ): Promise<Output>;
  close(): Promise<void>;
}

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
