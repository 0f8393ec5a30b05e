/** The HTTP server around whatever framework was chosen: what has to be the same for all of them. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { randomUUID } from "node:crypto";
import type { ContextRegistry } from "../../context/registry.ts";
import { send } from "./answering.ts";
import type { FrameworkApplication } from "./framework.ts";
import type { Route } from "./route.ts";

export interface HttpService {
  readonly server: Server;
  readonly port: number;
  /** Requests in flight get their answer, idle connections end at once. */
  close(): Promise<void>;
}

/** @throws the system's error where the port is taken or may not be bound. */
export async function serveHttp(
  application: FrameworkApplication,
  routes: readonly Route[],
  contexts: ContextRegistry,
  listen: { readonly host: string; readonly port: number },
): Promise<HttpService> {
  let isClosing = false;
  const server = createServer((request, response) => {
    response.once("close", () => {
      // A connection that was at work when the end came would be kept alive otherwise.
      if (isClosing) setImmediate(() => server.closeIdleConnections());
    });
    const allowed = methodsAt(routes, pathOf(request));
    const refusal = refuse(request, allowed);
    if (refusal) return send(response, refusal);
    // Node knows from the first line that a HEAD has no body; the frameworks need not know.
    if (request.method === "HEAD") request.method = "GET";
    const store = { id: randomUUID(), method: request.method ?? "", path: pathOf(request), startedAt: Date.now() };
    void contexts.run(store, () => finished(application, request, response));
  });
  await listening(server, listen);
  return {
    server,
    port: (server.address() as AddressInfo).port,
    async close() {
      isClosing = true;
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
      await application.close?.();
    },
  };
}

function finished(
  { listener }: FrameworkApplication,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", resolve);
    listener(request, response);
  });
}

function listening(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

/** Trailing slashes, case, HEAD and OPTIONS differ between frameworks; here they are decided once. */
function refuse(request: IncomingMessage, allowed: readonly string[]) {
  const allow = allowed.join(", ");
  if (!isWellFormed(pathOf(request))) return { status: 400, body: { error: "The path is not well-formed." } };
  if (allowed.length === 0) return { status: 404, body: { error: "Not found." } };
  if (request.method === "OPTIONS") return { status: 204, headers: { allow } };
  if (allowed.includes(request.method ?? "")) return undefined;
  return { status: 405, body: { error: "Method not allowed." }, headers: { allow } };
}

function methodsAt(routes: readonly Route[], path: string): string[] {
  const methods = routes.filter((route) => matches(route.path, path)).map(({ method }) => method);
  return methods.flatMap((method) => (method === "GET" ? [method, "HEAD"] : [method]));
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split("/");
  const given = path.split("/");
  return (
    expected.length === given.length &&
    expected.every((segment, index) => (segment.startsWith(":") ? given[index] !== "" : segment === given[index]))
  );
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "/";
}

function isWellFormed(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
