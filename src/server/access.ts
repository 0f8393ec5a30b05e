/** Who may ask, and what for. Decisions only; the hook that asks for them is `guard.ts`. */
import type { Access } from "../core/index.ts";
import { canonicalAddress, hostOf, isLoopbackHost } from "./host.ts";
import { PUBLIC_URL } from "./public-url.ts";
import { ALLOWED_HOSTS } from "./settings.ts";
import type { TokenCheck } from "./token.ts";

export interface AccessPolicy {
  /** Canonical hosts that `Host` may name beside the loopback ones and the address that was reached. */
  readonly hosts: ReadonlySet<string>;
  /** The origin of the public URL. A proxy may hand on another `Host` than the one that the browser asked for. */
  readonly publicOrigin?: string;
  /** A proxy is in front of the server: it names the client in `X-Forwarded-For`. */
  readonly isBehindProxy?: boolean;
  /** Only this machine can reach the server: reads are open. */
  readonly isLoopback: boolean;
  /** Absent where no token is set, which only a loopback bind allows. */
  readonly hasToken?: TokenCheck;
}

/** What a request says about where it comes from. */
export interface Provenance {
  readonly method: string;
  /** The request target as it came. */
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

/** What a route asks of its caller. A `page` may also be reached by a link from elsewhere. */
export interface Need {
  readonly access: Access | "none";
  readonly isPage: boolean;
}

/**
 * Why a request may be another site's doing, or `undefined` where it is not. `Host` is the only
 * defence against DNS rebinding, `Origin` the only one against a foreign WebSocket; browsers send
 * neither for the other's sake.
 */
export function foreignness(policy: AccessPolicy, request: Provenance, isPage: boolean): string | undefined {
  return hostProblem(policy, request) ?? originProblem(policy, request) ?? fetchProblem(request, isPage);
}

/** What the caller may do. */
export function grantsOf(policy: AccessPolicy, authorization: string | undefined): readonly Access[] {
  if (policy.hasToken === undefined) return policy.isLoopback ? ["read", "write"] : [];
  if (policy.hasToken(authorization)) return ["read", "write"];
  return policy.isLoopback ? ["read"] : [];
}

/** How records name a caller. There is one token, and its name is `token`. */
export function actorOf({ hasToken }: AccessPolicy, grants: readonly Access[]): string {
  return hasToken !== undefined && grants.includes("write") ? "token" : "anonymous";
}

function hostProblem({ hosts }: AccessPolicy, request: Provenance): string | undefined {
  const [header] = request.hosts;
  if (header === undefined || request.hosts.length !== 1) return "Accepted: exactly one Host header.";
  const host = hostOf(header);
  const isReached = host !== undefined && (isLoopbackHost(host) || hosts.has(host) || isAddressOf(request, host));
  if (!isReached) return `The Host header names another host. A name of this server's own goes into ${ALLOWED_HOSTS}.`;
  const [, authority] = /^[a-z]+:\/\/([^/?#]*)/i.exec(request.target) ?? [];
  return authority === undefined || authority === header ? undefined : "The request target names another host.";
}

function isAddressOf({ localAddress }: Provenance, host: string): boolean {
  return localAddress !== undefined && canonicalAddress(localAddress) === host;
}

/** A proxy in front of the server may speak TLS: both schemes of the host that was asked for are the server's own. */
function originProblem({ publicOrigin }: AccessPolicy, { origin, hosts: [host] }: Provenance): string | undefined {
  if (origin === undefined || origin === publicOrigin) return undefined;
  if (origin === `http://${host}` || origin === `https://${host}`) return undefined;
  return `The Origin header names another origin. The address of a proxy in front of this server goes into ${PUBLIC_URL}.`;
}

function fetchProblem(request: Provenance, isPage: boolean): string | undefined {
  const { fetchSite, fetchMode, fetchDest, method } = request;
  if (fetchSite === undefined || fetchSite === "same-origin" || fetchSite === "none") return undefined;
  const isLink = fetchMode === "navigate" && fetchDest === "document" && (method === "GET" || method === "HEAD");
  return isPage && isLink ? undefined : "The request comes from another site.";
}
