import type { InputOf, OperationId } from "./api/inputs.ts";
import { isGranted, type Access, type Caller, type Identity } from "./caller.ts";
import type { ErrorKind } from "./errors.ts";
import type { Ports } from "./ports/index.ts";

/** `api/inputs.ts` has the input under the same id. */
export interface Operation<Input, Output> {
  readonly id: OperationId;
  readonly access: Access;
  readonly refusal: Extract<ErrorKind, "INVALID_PAYLOAD" | "INVALID_REQUEST">;
  run(ports: Ports, input: Input, caller: Caller): Promise<Output>;
}

export function defineOperation<Id extends OperationId, Output>(
  operation: Operation<InputOf<Id>, Output> & { readonly id: Id },
): Operation<InputOf<Id>, Output> {
  return operation;
}

/**
 * HTTP and the WebSocket parse their input first. The command line does not: its input is type-checked, and loading zod
 * would slow every start.
 * @see docs/decisions/parsed-input.md
 * @throws {SvcmError} for every expected refusal; other errors are defects
 */
export async function execute<Input, Output>(
  operation: Operation<Input, Output>,
  ports: Ports,
  input: Input,
  caller: Caller,
): Promise<Output> {
  await authorise(operation, ports, input, caller);
  return operation.run(ports, input, caller);
}

/** @throws {SvcmError} UNAUTHORIZED, FORBIDDEN */
export async function authorise<Input>(
  operation: Pick<Operation<Input, unknown>, "id" | "access">,
  ports: Ports,
  input: Input,
  caller: Identity,
): Promise<void> {
  if (!isGranted(caller.grants, operation.access))
    throw (await import("./identity/rights.ts")).rightRefusal(caller, operation.access);
  if (caller.limits !== undefined)
    await (await import("./identity/limits.ts")).requireWithinLimits(ports, operation, input, caller);
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
