/** Responds through Node's own messages, which every framework on Node exposes. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { respond } from "./respond.ts";
import type { RouteResponse, Route } from "./route.ts";

export async function respondOnNode(
  route: Route,
  params: Readonly<Record<string, string>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  send(response, await respond(route, params, request));
}

export function send(response: ServerResponse, { status, body, headers }: RouteResponse): void {
  const text = body === undefined ? "" : JSON.stringify(body);
  response.writeHead(status, {
    ...(body !== undefined && { "content-type": "application/json; charset=utf-8" }),
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
