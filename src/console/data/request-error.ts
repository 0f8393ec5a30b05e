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

export interface RequestResult<Answer> {
  readonly answer?: Answer;
  readonly problem?: Problem;
}

/** A request that is repeated: only the newest counts, and it aborts the previous one. */
export class LatestRequest {
  #controller = new AbortController();

  /** @returns `undefined` if it was aborted */
  async send<Answer>(request: (signal: AbortSignal) => Promise<Answer>): Promise<RequestResult<Answer> | undefined> {
    this.abort();
    const { signal } = (this.#controller = new AbortController());
    try {
      const answer = await request(signal);
      return signal.aborted ? undefined : { answer };
    } catch (error) {
      return signal.aborted ? undefined : { problem: toProblem(error) };
    }
  }

  abort(): void {
    this.#controller.abort();
  }
}
