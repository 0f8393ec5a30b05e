/** Routes, requests and answers, independent of any framework. */

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
  /** The clients that need no credentials. By default every client needs them. */
  readonly access?: "everyone" | "this machine";
  handle(request: Request): Promise<Answer> | Answer;
}

/** The parameters of a path that the pattern matches, each of at least one character. The path has to be well-formed. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  const given = path.split("/");
  const expected = pattern.split("/");
  if (given.length !== expected.length) return undefined;
  for (const [index, segment] of expected.entries()) {
    const value = given[index] ?? "";
    if (segment.startsWith(":") && value !== "") params[segment.slice(1)] = decodeURIComponent(value);
    else if (segment !== value) return undefined;
  }
  return params;
}

/** A client's mistake, as a status and a message that may be shown. */
export class HttpProblem extends Error {
  override readonly name = "HttpProblem";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
