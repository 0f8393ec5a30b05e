import { Readable } from "node:stream";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { send } from "./respond-on-node.ts";
import type { FetchHandler } from "./fetch-handler.ts";
import { errorResponse } from "./respond.ts";

export function hostOnNode(handler: FetchHandler): RequestListener {
  const host = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fetched = await handler(toFetchRequest(request));
    const body = fetched.body === null ? undefined : await fetched.json();
    const headers = Object.fromEntries([...fetched.headers].filter(([name]) => name !== "content-type"));
    send(response, { status: fetched.status, headers, ...(body !== undefined && { body }) });
  };
  return (request, response) => {
    host(request, response).catch((error: unknown) => send(response, errorResponse(error)));
  };
}

function toFetchRequest(request: IncomingMessage): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headersDistinct)) {
    for (const item of value ?? []) headers.append(name, item);
  }
  const method = request.method ?? "GET";
  const hasBody = method !== "GET" && method !== "HEAD";
  const body = hasBody ? (Readable.toWeb(request) as ReadableStream<Uint8Array>) : null;
  return new Request(new URL(request.url ?? "/", "http://localhost"), { method, headers, body, duplex: "half" });
}
