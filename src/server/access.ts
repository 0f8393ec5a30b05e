/** Decides whether a request is admitted, and its grants. `guard.ts` is the hook that applies it. */
import type { Access } from "../core/index.ts";
import { canonicalAddress, hostOf, isLoopbackHost } from "./host.ts";
import { PUBLIC_URL } from "./public-url.ts";
import { ALLOWED_HOSTS } from "./settings.ts";
import type { TokenCheck } from "./token.ts";

export interface AccessPolicy {
  /** Canonical hosts that `Host` may name, besides loopback hosts and the address that was reached. */
  readonly hosts: ReadonlySet<string>;
  /** The origin of the public URL. A proxy may pass on another `Host` than the browser requested. */
  readonly publicOrigin?: string;
  /** A proxy in front of the server names the client in `X-Forwarded-For`. */
  readonly isBehindProxy?: boolean;
  /** Only this machine can reach the server: reads are open. */
  readonly isLoopback: boolean;
  /** Absent if no token is set, which only a loopback bind allows. */
  readonly hasToken?: TokenCheck;
}

/** The origin of a request, by its headers and its connection. */
export interface Provenance {
  readonly method: string;
  readonly target: string;
  /** Every `Host` header. */
  readonly hosts: readonly string[];
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly fetchMode: string | undefined;
  readonly fetchDest: string | undefined;
  /** The address of this machine that was reached. */
  readonly localAddress: string | undefined;
}

/**
 * Returns the reason to suspect another site behind a request. `Host` is the only defence against DNS rebinding, and
 * `Origin` the only one against a foreign WebSocket.
 */
export function foreignness(policy: AccessPolicy, request: Provenance, isPage: boolean): string | undefined {
  return hostProblem(policy, request) ?? originProblem(policy, request) ?? fetchProblem(request, isPage);
}

export function grantsOf(policy: AccessPolicy, authorization: string | undefined): readonly Access[] {
  if (policy.hasToken === undefined) return policy.isLoopback ? ["read", "write"] : [];
  if (policy.hasToken(authorization)) return ["read", "write"];
  return policy.isLoopback ? ["read"] : [];
}

/** The caller as records name it. There is one token, named `token`. */
export function actorOf({ hasToken }: AccessPolicy, grants: readonly Access[]): string {
  return hasToken !== undefined && grants.includes("write") ? "token" : "anonymous";
}

function hostProblem({ hosts }: AccessPolicy, request: Provenance): string | undefined {
  const [header] = request.hosts;
  if (header === undefined || request.hosts.length !== 1) return "Accepted: exactly one Host header.";
  const host = hostOf(header);
  const isReached = host !== undefined && (isLoopbackHost(host) || hosts.has(host) || isAddressOf(request, host));
  if (!isReached) return `The Host header names another host. To accept it, add it to ${ALLOWED_HOSTS}.`;
  const [, authority] = /^[a-z]+:\/\/([^/?#]*)/i.exec(request.target) ?? [];
  return authority === undefined || authority === header ? undefined : "The request target names another host.";
}

function isAddressOf({ localAddress }: Provenance, host: string): boolean {
  return localAddress !== undefined && canonicalAddress(localAddress) === host;
}

/** Accepts both schemes of the requested host, because a proxy in front of the server may speak TLS. */
function originProblem({ publicOrigin }: AccessPolicy, { origin, hosts: [host] }: Provenance): string | undefined {
  if (origin === undefined || origin === publicOrigin) return undefined;
  if (origin === `http://${host}` || origin === `https://${host}`) return undefined;
  return `The Origin header names another origin. If a proxy serves it, set ${PUBLIC_URL} to its address.`;
}

function fetchProblem(request: Provenance, isPage: boolean): string | undefined {
  const { fetchSite, fetchMode, fetchDest, method } = request;
  if (fetchSite === undefined || fetchSite === "same-origin" || fetchSite === "none") return undefined;
  const isLink = fetchMode === "navigate" && fetchDest === "document" && (method === "GET" || method === "HEAD");
  return isPage && isLink ? undefined : "The request comes from another site.";
}
