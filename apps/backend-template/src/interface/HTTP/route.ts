export interface Request {
  readonly params: Readonly<Record<string, string>>;
  /** The parsed JSON body; `undefined` if the method has no body. */
  readonly body: unknown;
}

export interface RouteResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Method = "GET" | "POST" | "DELETE";

/** A path segment that begins with a colon is a parameter. */
export interface Route {
  readonly method: Method;
  readonly path: `/${string}`;
  /** Clients that need no credentials. By default, every client needs them. */
  readonly access?: "everyone" | "this machine";
  handle(request: Request): Promise<RouteResponse> | RouteResponse;
}

/** Each parameter has at least one character. The path must be well-formed. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  const segments = path.split("/");
  const expected = pattern.split("/");
  if (segments.length !== expected.length) return undefined;
  for (const [index, segment] of expected.entries()) {
    const value = segments[index] ?? "";
    if (segment.startsWith(":") && value !== "") params[segment.slice(1)] = decodeURIComponent(value);
    else if (segment !== value) return undefined;
  }
  return params;
}

/** The message may be shown to the client. */
export class HttpProblem extends Error {
  override readonly name = "HttpProblem";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
