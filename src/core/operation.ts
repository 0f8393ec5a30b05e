import type * as z from "zod/mini";
import type { AuditSource } from "./contract/audit-record.ts";
import { parseInput } from "./contract/parse.ts";
import { SvcmError, type ErrorKind } from "./errors.ts";
import type { Ports } from "./ports.ts";

/** What an operation does to the world: reads are open where writes need a grant. */
export type Access = "read" | "write";

/** Who asks, through which face, and what the face allows. */
export interface Caller {
  readonly source: AuditSource;
  readonly actor?: string;
  readonly grants: readonly Access[];
}

/**
 * One thing that svcm can do: a value, not a class. `run` reads through the ports, decides, and
 * writes through them. The three faces parse, call one operation and print its answer.
 */
export interface Operation<Input, Output> {
  /** Dotted, for example `env.write`. */
  readonly id: string;
  readonly access: Access;
  readonly input: z.ZodMiniType<Input>;
  /** What a malformed input is called. */
  readonly refusal: Extract<ErrorKind, "INVALID_PAYLOAD" | "INVALID_REQUEST">;
  run(ports: Ports, input: Input, caller: Caller): Promise<Output>;
}

/** Declares an operation; the types of `run` follow from the input schema. */
export function defineOperation<Input, Output>(operation: Operation<Input, Output>): Operation<Input, Output> {
  return operation;
}

/**
 * Parses the input, checks the caller's grants, runs.
 *
 * @throws {SvcmError} for every expected refusal; anything else is a defect.
 */
export async function execute<Input, Output>(
  operation: Operation<Input, Output>,
  ports: Ports,
  input: unknown,
  caller: Caller,
): Promise<Output> {
  if (!caller.grants.includes(operation.access)) throw new SvcmError("UNAUTHORIZED");
  return operation.run(ports, parseInput(operation.input, input, operation.refusal), caller);
}
