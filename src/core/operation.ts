import type { InputOf, OperationId } from "./api/inputs.ts";
import type { Access, Caller } from "./caller.ts";
import { SvcmError, type ErrorKind } from "./errors.ts";
import type { Ports } from "./ports.ts";

/**
 * One thing that svcm can do: a value, not a class. `run` reads through the ports, decides, and
 * writes through them. The three faces parse, call one operation and print its answer. The schema of
 * its input stands in `api/inputs.ts`, under its id.
 */
export interface Operation<Input, Output> {
  readonly id: OperationId;
  readonly access: Access;
  /** What a malformed input is called. */
  readonly refusal: Extract<ErrorKind, "INVALID_PAYLOAD" | "INVALID_REQUEST">;
  run(ports: Ports, input: Input, caller: Caller): Promise<Output>;
}

/** Declares an operation; the type of its input follows from its id. */
export function defineOperation<Id extends OperationId, Output>(
  operation: Operation<InputOf<Id>, Output> & { readonly id: Id },
): Operation<InputOf<Id>, Output> {
  return operation;
}

/**
 * Checks the caller's grants, then runs. What comes from outside is parsed first, by the schema of
 * `api/inputs.ts`; the command line, which is compiled against it, loads no schema.
 *
 * @throws {SvcmError} for every expected refusal; anything else is a defect.
 */
export async function execute<Input, Output>(
  operation: Operation<Input, Output>,
  ports: Ports,
  input: Input,
  caller: Caller,
): Promise<Output> {
  if (!caller.grants.includes(operation.access)) throw new SvcmError("UNAUTHORIZED");
  return operation.run(ports, input, caller);
}
