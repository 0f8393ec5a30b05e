import { toProblem, type Problem } from "./request-error.ts";

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
