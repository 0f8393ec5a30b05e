import type { AuditSource } from "./contract/audit-record.ts";
import type { InputOf, OperationId } from "./contract/inputs.ts";
import { SvcmError, type ErrorKind } from "./errors.ts";
import type { Ports } from "./ports.ts";

/** What an operation does to the world: reads are open where writes need a grant. */
export type Access = "read" | "write";

/** Who asks, through which face, and what the face allows. */
export interface Caller {
  readonly source: AuditSource;
  readonly actor?: string;
  readonly grants: readonly Access[];
  /** Aborted when the caller leaves, so that a long reading ends. */
  readonly signal?: AbortSignal;
}

/**
 * One thing that svcm can do: a value, not a class. `run` reads through the ports, decides, and
 * writes through them. The three faces parse, call one operation and print its answer. The schema of
 * its input stands in `contract/inputs.ts`, under its id.
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
 * `contract/inputs.ts`; the command line, which is compiled against it, loads no schema.
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
