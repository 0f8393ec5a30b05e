/** The HTTP server around the selected framework: everything that must be the same for all of them. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { randomUUID } from "node:crypto";
import type { Authentication } from "../../auth/authentication.ts";
import type { ContextRegistry } from "../../context/registry.ts";
import type { AllowedOrigins } from "../../process/allowed-origins.ts";
import { needsNoCredentials, checkCredentials } from "./admit.ts";
import { send } from "./respond-on-node.ts";
import { corsHeaders } from "./cors.ts";
import type { FrameworkApplication } from "./framework.ts";
import { errorResponse } from "./respond.ts";
import { matchPath, type RouteResponse, type Route } from "./route.ts";

export interface HttpService {
  readonly server: Server;
  readonly port: number;
  /** Completes requests in flight and closes idle connections at once. */
  close(): Promise<void>;
}

export interface HttpOptions {
  readonly application: FrameworkApplication;
  readonly routes: readonly Route[];
  readonly contexts: ContextRegistry;
  readonly allowedOrigins: AllowedOrigins;
  readonly authentication?: Authentication;
}

/** @throws the system's error if the port is in use or not permitted; the application is closed then. */
export async function serveHttp(options: HttpOptions, listen: { host: string; port: number }): Promise<HttpService> {
  const { application } = options;
  const server = createServer((request, response) => {
    response.once("close", () => {
      // A connection that was busy at that time would otherwise be kept alive.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    handleRequest(options, request, response);
  });
  try {
    await startListening(server, listen);
  } catch (error) {
    await application.close?.();
    throw error;
  }
  return {
    server,
    port: (server.address() as AddressInfo).port,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
      await application.close?.();
    },
  };
}

function handleRequest(options: HttpOptions, request: IncomingMessage, response: ServerResponse): void {
  const { routes, allowedOrigins, authentication } = options;
  const path = pathOf(request);
  const methods = isWellFormed(path) ? methodsFor(routes, path) : undefined;
  for (const [name, value] of Object.entries(corsHeaders(request, methods ?? [], allowedOrigins))) {
    response.setHeader(name, value);
  }
  const refusal = refuse(request, methods);
  if (refusal) return send(response, refusal);
  // Node knows from the request line that a HEAD response has no body; the frameworks need not know.
  if (request.method === "HEAD") request.method = "GET";
  const route = routes.find(({ method, path: pattern }) => method === request.method && matchPath(pattern, path));
  if (!authentication || (route && needsNoCredentials(route, request)))
    return dispatch(options, path, request, response);
  checkCredentials(request, authentication, allowedOrigins)
    .catch((error: unknown) => errorResponse(error))
    .then((denial) => {
      if (denial) send(response, denial);
      else if (!response.destroyed) dispatch(options, path, request, response);
    })
    .catch((error: unknown) => console.error(error));
}

function dispatch(
  { application, contexts }: HttpOptions,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const store = { id: randomUUID(), method: request.method ?? "", path, startedAt: Date.now() };
  contexts
    .run(store, () => runListener(application, request, response))
    .catch((error: unknown) => {
      const { status, body } = errorResponse(error);
      if (response.headersSent) response.destroy();
      else send(response, { status, body });
    });
}

function runListener(
  { listener }: FrameworkApplication,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", resolve);
    listener(request, response);
  });
}

function startListening(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

/** Frameworks treat trailing slashes, case, HEAD and OPTIONS differently, so they are handled here. */
function refuse(request: IncomingMessage, methods: readonly string[] | undefined): RouteResponse | undefined {
  if (methods === undefined) return { status: 400, body: { error: "The path is not well-formed." } };
  if (methods.length === 0) return { status: 404, body: { error: "Not found." } };
  const allow = methods.join(", ");
  if (request.method === "OPTIONS") return { status: 204, headers: { allow } };
  if (methods.includes(request.method ?? "")) return undefined;
  return { status: 405, body: { error: "Method not allowed." }, headers: { allow } };
}

function methodsFor(routes: readonly Route[], path: string): string[] {
  const matching = routes.filter((route) => matchPath(route.path, path) !== undefined);
  return matching.flatMap(({ method }) => (method === "GET" ? [method, "HEAD"] : [method]));
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
