import { type Operation, isGranted, type Caller, type Identity } from "./access/operation.ts";
import type { Ports } from "./ports.ts";
/**
 * HTTP and the WebSocket parse their input first. The command line does not: its input is type-checked, and loading zod
 * would slow every start.
 * @see docs/decisions/parsed-input.md
 * @throws {SvcmError} for every expected refusal; other errors are defects
 */
export async function execute<Input, Output>(
  operation: Operation<Input, Output, Ports>,
  ports: Ports,
  input: Input,
  caller: Caller,
): Promise<Output> {
  await authorise(operation, ports, input, caller);
  return operation.run(ports, input, caller);
}

/** @throws {SvcmError} UNAUTHORIZED, FORBIDDEN */
export async function authorise<Input>(
  operation: Pick<Operation<Input, unknown, Ports>, "id" | "access">,
  ports: Ports,
  input: Input,
  caller: Identity & Pick<Caller, "step">,
): Promise<void> {
  if (!isGranted(caller.grants, operation.access))
    throw (await import("./access/rights.ts")).rightRefusal(caller, operation.access);
  if (caller.limits !== undefined)
    await (await import("./limits.ts")).requireWithinLimits(ports, operation, input, caller);
}
