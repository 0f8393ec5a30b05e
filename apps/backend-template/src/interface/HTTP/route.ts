/** What the HTTP side is made of, in words of no framework. */

/** A request as a handler sees it. */
export interface Request {
  readonly params: Readonly<Record<string, string>>;
  /** The parsed JSON body; `undefined` where the method carries none. */
  readonly body: unknown;
}

/** An answer; the body is sent as JSON. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Method = "GET" | "POST" | "DELETE";

/** One row of the HTTP surface. A parameter is a segment that begins with a colon. */
export interface Route {
  readonly method: Method;
  readonly path: `/${string}`;
  handle(request: Request): Promise<Answer> | Answer;
}

/** What a client got wrong, as a status and a message that may be shown. */
export class HttpProblem extends Error {
  override readonly name = "HttpProblem";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
