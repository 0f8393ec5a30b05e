/** Routes as a fetch handler, the form that functions providers run, and a host for it on Node. */
import { Readable } from "node:stream";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { parseJson, respond, send, MAX_BODY_BYTES } from "./answering.ts";
import { HttpProblem, type Route } from "./route.ts";

export type FetchHandler = (request: Request) => Promise<Response>;

/** Finds the route of a request and answers by it. Nothing in here is Node's, so it runs at any provider. */
export function fetchHandler(routes: readonly Route[]): FetchHandler {
  return async (request) => {
    const { pathname } = new URL(request.url);
    for (const route of routes) {
      const params = route.method === request.method ? paramsOf(route.path, pathname) : undefined;
      if (params === undefined) continue;
      const { status, body, headers } = await respond(route, params, () => readJson(request));
      if (body === undefined) return new Response(null, { status, ...(headers && { headers }) });
      return Response.json(body, { status, ...(headers && { headers }) });
    }
    return Response.json({ error: "Not found." }, { status: 404 });
  };
}

/** Serves a fetch handler on Node, as a provider's runtime does. */
export function hostOnNode(handler: FetchHandler): RequestListener {
  const host = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = await handler(toFetchRequest(request));
    const body = answer.body === null ? undefined : await answer.json();
    const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== "content-type"));
    send(response, { status: answer.status, headers, ...(body !== undefined && { body }) });
  };
  return (request, response) => void host(request, response);
}

async function readJson(request: Request): Promise<unknown> {
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > MAX_BODY_BYTES) {
    throw new HttpProblem(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  }
  return parseJson(new TextDecoder().decode(bytes));
}

function toFetchRequest(request: IncomingMessage): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headersDistinct)) {
    for (const one of value ?? []) headers.append(name, one);
  }
  const method = request.method ?? "GET";
  const hasBody = method !== "GET" && method !== "HEAD";
  const body = hasBody ? (Readable.toWeb(request) as ReadableStream<Uint8Array>) : null;
  return new Request(new URL(request.url ?? "/", "http://localhost"), { method, headers, body, duplex: "half" });
}

function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  const given = path.split("/");
  const expected = pattern.split("/");
  if (given.length !== expected.length) return undefined;
  for (const [index, segment] of expected.entries()) {
    const value = given[index] ?? "";
    if (segment.startsWith(":")) params[segment.slice(1)] = decodeURIComponent(value);
    else if (segment !== value) return undefined;
  }
  return params;
}
