import { rightsWithoutTokens, type Identity } from "../core/index.ts";
import { canonicalAddress, parseHost, isLoopbackHost, PUBLIC_URL } from "./host.ts";
import type { Identities } from "./identities.ts";
import { ALLOWED_HOSTS } from "./settings.ts";

export interface AccessPolicy {
  /** In addition to loopback hosts and the local address of the connection. */
  readonly hosts: ReadonlySet<string>;
  /** Set because a proxy may change `Host`. */
  readonly publicOrigin?: string;
  readonly isBehindProxy?: boolean;
  readonly isLoopback: boolean;
  /** True if a proxy serves remote callers. They need a token as soon as one exists. */
  readonly isPublic?: boolean;
  readonly identities: Identities;
}

export interface Provenance {
  readonly method: string;
  readonly target: string;
  readonly hosts: readonly string[];
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly fetchMode: string | undefined;
  readonly fetchDest: string | undefined;
  readonly localAddress: string | undefined;
}

/**
 * Checking `Host` is the only defence against DNS rebinding, and checking `Origin` the only one against a WebSocket of
 * another site.
 */
export function checkProvenance(policy: AccessPolicy, request: Provenance, isPage: boolean): string | undefined {
  return checkHost(policy, request) ?? checkOrigin(policy, request) ?? checkFetchMetadata(request, isPage);
}

/** A caller without a token. Once a token exists, it may only read, and only on loopback. */
export function anonymousIdentity({ identities, isLoopback, isPublic = false }: AccessPolicy): Identity {
  if (!identities.hasTokens()) return { actor: "anonymous", grants: isLoopback ? rightsWithoutTokens : [] };
  return { actor: "anonymous", grants: isLoopback && !isPublic ? ["read"] : [] };
}

function checkHost({ hosts }: AccessPolicy, request: Provenance): string | undefined {
  const [header] = request.hosts;
  if (header === undefined || request.hosts.length !== 1) return "Accepted: exactly one Host header.";
  const host = parseHost(header);
  const isAccepted = host !== undefined && (isLoopbackHost(host) || hosts.has(host) || isLocalAddress(request, host));
  if (!isAccepted) return `The Host header names another host. To accept it, add it to ${ALLOWED_HOSTS}.`;
  const [, authority] = /^[a-z]+:\/\/([^/?#]*)/i.exec(request.target) ?? [];
  return authority === undefined || authority === header ? undefined : "The request target names another host.";
}

function isLocalAddress({ localAddress }: Provenance, host: string): boolean {
  return localAddress !== undefined && canonicalAddress(localAddress) === host;
}

/** Accepts both schemes of the requested host, because a proxy in front of the server may terminate TLS. */
function checkOrigin({ publicOrigin }: AccessPolicy, { origin, hosts: [host] }: Provenance): string | undefined {
  if (origin === undefined || origin === publicOrigin) return undefined;
  if (origin === `http://${host}` || origin === `https://${host}`) return undefined;
  return `The Origin header names another origin. If a proxy serves it, set ${PUBLIC_URL} to its address.`;
}

function checkFetchMetadata(request: Provenance, isPage: boolean): string | undefined {
  const { fetchSite, fetchMode, fetchDest, method } = request;
  if (fetchSite === undefined || fetchSite === "same-origin" || fetchSite === "none") return undefined;
  const isNavigation = fetchMode === "navigate" && fetchDest === "document" && (method === "GET" || method === "HEAD");
  return isPage && isNavigation ? undefined : "The request comes from another site.";
}
