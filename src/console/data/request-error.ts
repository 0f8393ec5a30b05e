import type * as z from "zod";
import type { failureBody } from "../../core/api/bodies.ts";

export type ErrorBody = z.infer<typeof failureBody>;

/** What went wrong, as the server said it: it is shown word for word. */
export interface Problem extends ErrorBody {
  /** Of the answer; absent where none came. */
  readonly status?: number;
}

/** A request that was refused, or got no answer. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.details ?? problem.error);
    this.problem = problem;
  }
}

/** Anything that was thrown, as something to show. */
export function problemOf(error: unknown): Problem {
  if (error instanceof RequestError) return error.problem;
  return { error: "Unexpected error.", details: error instanceof Error ? error.message : String(error) };
}
