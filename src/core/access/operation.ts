import type { InputOf, OperationId } from "../api/inputs.ts";
import { type Access, type Caller, type Identity } from "./caller.ts";
import type { ErrorKind } from "../api/errors.ts";

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
