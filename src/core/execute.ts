import { type Operation, isGranted, type Caller, type Identity } from "./access/operation.ts";
import type { Ports } from "./ports.ts";
import type { EnvironmentRequest } from "./project/resolve.ts";
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
  return operation.run(ports, operation.isForMachine ? await forMachine(ports, input, caller) : input, caller);
}

async function forMachine<Input>(ports: Ports, input: Input, caller: Caller): Promise<Input> {
  const request = input as Input & EnvironmentRequest;
  // Loading the code of the releases would slow every start.
  if (request.environment !== undefined || !ports.workspace.hasRecords) return request;
  return (await import("./rollout/machine-environment.ts")).forMachine(ports, request, caller);
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
