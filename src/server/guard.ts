import type { FastifyInstance, FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import { type Identity, isGranted, rightRefusal, SvcmError } from "../core/index.ts";
import { type AccessPolicy, anonymousIdentity, checkProvenance, type Provenance, type Authenticate } from "./access.ts";
import { requireMediaType } from "./body.ts";
import { clientAddress } from "./host.ts";
import { accessRequirement, type Route } from "./route.ts";
import { routes } from "./routes.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The guard sets the following members. */
    identity: Identity;
    address: string;
    /** True once the operation has started, which then records its own outcome. */
    hasStarted: boolean;
    startedAt: number;
  }
  interface FastifyContextConfig {
    route?: Route;
  }
}

export interface Guard {
  readonly policy: AccessPolicy;
  readonly authenticate: Authenticate;
}

/** Covers requests without a route too. Access comes first, then the route, then the media type. */
export function guardRequests(app: FastifyInstance, guard: Guard): void {
  app.decorateRequest("identity");
  app.decorateRequest("address", "");
  app.decorateRequest("hasStarted", false);
  app.decorateRequest("startedAt", 0);
  app.addHook("onRequest", (request, _reply, done) => {
    try {
      const { route } = request.routeOptions.config;
      admit(guard, request, route);
      requirePath(request.raw);
      if (route === undefined) throw noRoute(request.raw);
      if ("body" in route || "isMcp" in route) requireMediaType(request, route);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

/** @throws {SvcmError} FORBIDDEN, UNAUTHORIZED, RATE_LIMITED */
export function admit({ policy, authenticate }: Guard, request: FastifyRequest, route: Route | undefined): void {
  request.startedAt = performance.now();
  // A wrong token does not block routes that need no token.
  request.identity = anonymousIdentity(policy);
  request.address = clientAddress(policy.isBehindProxy === true, request.raw);
  const { access, isPage, dependsOnCaller, quotesLogs = false } = accessRequirement(route);
  const problem = checkProvenance(policy, provenanceOf(request.raw), isPage);
  if (problem !== undefined) throw new SvcmError("FORBIDDEN", { details: problem });
  const { authorization } = request.headers;
  if (access === "none") return;
  if (isGranted(request.identity.grants, access) && !dependsOnCaller) {
    if (quotesLogs) request.identity = identityOrAnonymous(request, authenticate);
    return;
  }
  request.identity = authenticate(request.address, authorization);
  const isUnknownToken = dependsOnCaller && authorization !== undefined && request.identity.role === undefined;
  if (!isGranted(request.identity.grants, access) || (isUnknownToken && policy.identities.hasTokens()))
    throw rightRefusal(request.identity, access);
}

/** Of a route that needs no token here: a wrong one does not block it. */
function identityOrAnonymous({ identity, address, headers }: FastifyRequest, authenticate: Authenticate): Identity {
  try {
    return authenticate(address, headers.authorization);
  } catch (error) {
    if (error instanceof SvcmError && error.kind === "RATE_LIMITED") return identity;
    throw error;
  }
}

/** The router would treat a target such as `*` as a path. */
function requirePath({ url = "" }: IncomingMessage): void {
  if (url.startsWith("/") || /^https?:\/\//i.test(url)) return;
  throw new SvcmError("INVALID_REQUEST", { details: "The request target is not a valid path." });
}

function noRoute({ url = "" }: IncomingMessage): SvcmError {
  const methods = allowedMethods(url);
  if (methods.length === 0) return new SvcmError("NOT_FOUND");
  return new SvcmError("METHOD_NOT_ALLOWED", { details: `Accepted: ${methods.join(", ")}.` });
}

function provenanceOf(request: IncomingMessage): Provenance {
  const { headers, method = "", url = "", socket } = request;
  return {
    method,
    target: url,
    hosts: hostsOf(request),
    origin: headers.origin,
    fetchSite: headerText(headers["sec-fetch-site"]),
    fetchMode: headerText(headers["sec-fetch-mode"]),
    fetchDest: headerText(headers["sec-fetch-dest"]),
    localAddress: socket.localAddress,
  };
}

/** `headers.host` has only the first one. */
function hostsOf({ rawHeaders }: IncomingMessage): string[] {
  const hosts: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = [rawHeaders[index], rawHeaders[index + 1]];
    if (name.length === 4 && name.toLowerCase() === "host") hosts.push(value);
  }
  return hosts;
}

function headerText(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(", ") : header;
}

/** Empty if no route has the path. A GET route also accepts HEAD. */
export function allowedMethods(target: string): string[] {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "") || "/";
  const methods = routes.flatMap((route) => (matchesPath(route, path) ? [route.method] : []));
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}

function matchesPath({ path }: Route, requestPath: string): boolean {
  const [folder, name] = path.split(":");
  if (name === undefined) return path === requestPath;
  return requestPath.startsWith(folder ?? "") && /^[^/]+$/.test(requestPath.slice(folder?.length));
}
