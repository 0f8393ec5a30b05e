import type { ErrorBody } from "../../core/api/bodies.ts";
import type { Session } from "../state/session.ts";
import { RequestError, type Problem } from "./request-error.ts";

/** A list repeats the parameter. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The entity tag of the file, for the `If-Match` of the next write. */
export type Tagged<Shape> = Shape & { readonly entityTag?: string };

export interface Peer {
  /**
   * Resolves if the server that responds is the one that this page works with.
   *
   * @throws {RequestError} if another server responds, or none
   */
  confirm(): Promise<void>;
  setReachable(isReachable: boolean): void;
}

interface Request {
  readonly path: string;
  readonly query?: Query;
  /** Sent as JSON; a text is sent unchanged. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

interface Reply {
  readonly body: unknown;
  readonly entityTag: string | null;
}

export type Send = (request: Request) => Promise<Reply>;

export type Requests = ReturnType<typeof createRequests>;

export function createRequests(send: Send) {
  return {
    request: async <Shape>(request: Request): Promise<Shape> => (await send(request)).body as Shape,
    requestTagged: async <Shape extends object>(request: Request): Promise<Tagged<Shape>> => {
      const { body, entityTag } = await send(request);
      return { ...(body as Shape), ...(entityTag !== null && { entityTag }) };
    },
  };
}

/** Sends a request; if the token is missing or wrong, asks the user for one and sends the request again. */
export function createSender(session: Pick<Session, "token" | "demand">, peer: Peer) {
  // Reads may be open when writes are not, so the token is sent only with the methods that demanded it.
  const demanded = new Set<string>();
  return async (request: Request): Promise<Reply> => {
    const method = methodOf(request);
    for (;;) {
      await peer.confirm();
      const token = demanded.has(method) ? session.token() : undefined;
      const response = await fetchResponse(request, token, peer);
      if (response.ok) return { body: await parseJson(response), entityTag: response.headers.get("etag") };
      const problem = await readProblem(response);
      if (response.status !== 401) throw new RequestError(problem);
      demanded.add(method);
      // Another request may have obtained a token in the meantime.
      const isOld = token !== session.token();
      if (!isOld && !(await session.demand(problem, token !== undefined))) throw new RequestError(problem);
    }
  };
}

function methodOf({ body }: Request): "GET" | "POST" {
  return body === undefined ? "GET" : "POST";
}

export async function fetchResponse(request: Request, token: string | undefined, peer: Peer): Promise<Response> {
  try {
    const response = await startFetch(request, token);
    peer.setReachable(true);
    return response;
  } catch (error) {
    if (request.signal?.aborted) throw error;
    peer.setReachable(false);
    throw new RequestError({ error: "The server cannot be reached.", details: `No answer from ${location.host}.` });
  }
}

function startFetch(request: Request, token: string | undefined): Promise<Response> {
  const { path, query = {}, body, headers, signal } = request;
  const parameters = Object.entries(query).flatMap(([name, value = []]) => [value].flat().map((one) => [name, one]));
  const search = parameters.length === 0 ? "" : `?${new URLSearchParams(parameters).toString()}`;
  // A relative URL, because the page may be served under a path.
  return fetch(`.${path}${search}`, {
    method: methodOf(request),
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
    redirect: "error",
  });
}

export async function parseJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new RequestError({ error: "The server's answer cannot be read.", status: response.status });
  }
}

export async function readProblem(response: Response): Promise<Problem> {
  const body = (await response.json().catch(() => undefined)) as Partial<ErrorBody> | undefined;
  const { status } = response;
  if (typeof body?.error !== "string") return { error: `The server answered ${status}.`, status };
  return { ...body, error: body.error, status };
}
