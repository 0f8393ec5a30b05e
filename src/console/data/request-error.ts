import type { ErrorBody } from "../../core/api/bodies.ts";

/** A failure in the server's words, which are shown unchanged. */
export interface Problem extends Omit<ErrorBody, "code"> {
  readonly code?: string | undefined;
  /** Absent if there was no response. */
  readonly status?: number;
}

export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.details ?? problem.error);
    this.problem = problem;
  }
}

export function toProblem(error: unknown): Problem {
  if (error instanceof RequestError) return error.problem;
  return { error: "Unexpected error.", details: errorText(error) };
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
