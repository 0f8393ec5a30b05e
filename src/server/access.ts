import { rightsWithoutTokens, type Identity, isExpired, rightsOf, SvcmError, type Ports } from "../core/index.ts";
import { canonicalAddress, parseHost, isLoopbackHost, PUBLIC_URL } from "./host.ts";
import { ALLOWED_HOSTS } from "./settings.ts";
import { createHash, timingSafeEqual } from "node:crypto";

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

export interface Identities {
  hasTokens(): boolean;

  /** The owner of the token in an `Authorization` header; `undefined` for a revoked or expired token. */
  find(authorization: string): Identity | undefined;
}

type StoredTokens = NonNullable<ReturnType<Ports["tokens"]["current"]>>;

/**
 * Always compares all digests, each in constant time, so neither content nor length leaks.
 *
 * @param onLost called when the file of the tokens is gone. Until the next start, no request gets the rights of a
 * repository without tokens: a cleanup of the checkout must not open a server.
 */
export function createIdentities(
  { tokens, clock }: Pick<Ports, "tokens" | "clock">,
  owner: string | undefined,
  onLost: () => void = () => undefined,
): Identities {
  const read = closedAfterLoss(tokens, onLost);
  const ownerDigest = owner === undefined ? undefined : digest(Buffer.from(owner, "utf8"));
  return {
    hasTokens: () => ownerDigest !== undefined || read() !== undefined,
    find(authorization) {
      const [, value] = /^bearer +(.+)$/i.exec(authorization) ?? [];
      if (value === undefined) return undefined;
      // Node decodes header bytes as Latin-1.
      const tokenDigest = digest(Buffer.from(value, "latin1"));
      if (ownerDigest !== undefined && timingSafeEqual(tokenDigest, ownerDigest)) return OWNER;
      const matches = (read() ?? []).filter((stored) =>
        timingSafeEqual(tokenDigest, Buffer.from(stored.digest, "base64url")),
      );
      const token = matches.find((match) => !isExpired(match, clock.now()));
      return token && identityOf(token);
    },
  };
}

const OWNER: Identity = { actor: "token", role: "admin", grants: rightsOf.admin };

function closedAfterLoss(tokens: Ports["tokens"], onLost: () => void): () => StoredTokens | undefined {
  let state: "never" | "seen" | "lost" = "never";
  const read = (): StoredTokens | undefined => {
    const stored = readTokens(tokens);
    if (stored !== undefined) state = "seen";
    else if (state === "seen") {
      state = "lost";
      onLost();
    }
    return state === "lost" ? [] : stored;
  };
  read();
  return read;
}

/** An unreadable file grants nothing, and callers without a token lose their rights as if tokens existed. */
function readTokens(tokens: Ports["tokens"]): StoredTokens | undefined {
  try {
    return tokens.current();
  } catch (error) {
    if (error instanceof SvcmError) return [];
    throw error;
  }
}

function identityOf({ name, role, propose, environments, services }: StoredTokens[number]): Identity {
  const isLimited = environments !== undefined || services !== undefined;
  const grants = propose === true ? [...rightsOf[role], "propose" as const] : rightsOf[role];
  return { actor: name, role, grants, ...(isLimited && { limits: { environments, services } }) };
}

function digest(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** A wrong token counts as anonymous. @throws {SvcmError} RATE_LIMITED after too many wrong tokens from the address */
export type Authenticate = (address: string, authorization: string | undefined) => Identity;

/**
 * After too many wrong tokens, further tokens from the address are refused for a while. If a valid token came from
 * there before, valid ones still pass, so strangers behind the same proxy cannot lock the owner out.
 */
export function authentication(policy: AccessPolicy, limit: AttemptLimit): Authenticate {
  const attempts = new Attempts(limit);
  return (address, authorization) => {
    if (authorization === undefined || !policy.identities.hasTokens()) return anonymousIdentity(policy);
    const waitSeconds = attempts.waitSeconds(address);
    if (waitSeconds > 0 && !attempts.isTrusted(address)) throw rateLimited(limit, waitSeconds);
    const identity = policy.identities.find(authorization);
    if (identity !== undefined) {
      attempts.recordSuccess(address);
      return identity;
    }
    if (waitSeconds > 0) throw rateLimited(limit, waitSeconds);
    attempts.recordFailure(address);
    return anonymousIdentity(policy);
  };
}

function rateLimited({ failures, windowMs }: AttemptLimit, retryAfterSeconds: number): SvcmError {
  const details = `Accepted: ${failures} wrong tokens from an address within ${windowMs / 1000} s. Try again later.`;
  return new SvcmError("RATE_LIMITED", { details, retryAfterSeconds });
}

export interface AttemptLimit {
  readonly failures: number;
  readonly windowMs: number;
}

const MAX_ADDRESSES = 10_000;
/** After a valid token, an address counts as the owner's for this time. */
const TRUSTED_MS = 3_600_000;

/** While an address is blocked, its attempts are not counted. */
export class Attempts {
  readonly #limit: AttemptLimit;
  readonly #now: () => number;
  readonly #failures = new Map<string, readonly number[]>();
  readonly #successes = new Map<string, number>();

  /** @param now milliseconds of a monotonic clock */
  constructor(limit: AttemptLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  waitSeconds(address: string): number {
    const { failures, windowMs } = this.#limit;
    const [oldest, ...others] = this.#recent(address);
    if (oldest === undefined || others.length + 1 < failures) return 0;
    return Math.ceil((oldest + windowMs - this.#now()) / 1000);
  }

  recordFailure(address: string): void {
    remember(this.#failures, address, [...this.#recent(address), this.#now()]);
  }

  recordSuccess(address: string): void {
    remember(this.#successes, address, this.#now());
  }

  isTrusted(address: string): boolean {
    return this.#now() - (this.#successes.get(address) ?? Number.NEGATIVE_INFINITY) < TRUSTED_MS;
  }

  #recent(address: string): readonly number[] {
    const since = this.#now() - this.#limit.windowMs;
    return (this.#failures.get(address) ?? []).filter((at) => at > since);
  }
}

function remember<T>(entries: Map<string, T>, address: string, value: T): void {
  entries.delete(address);
  entries.set(address, value);
  const [first] = entries.keys();
  if (entries.size > MAX_ADDRESSES && first !== undefined) entries.delete(first);
}
