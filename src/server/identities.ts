import { createHash, timingSafeEqual } from "node:crypto";
import { isExpired, rightsOf, SvcmError, type Identity, type Ports } from "../core/index.ts";

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
