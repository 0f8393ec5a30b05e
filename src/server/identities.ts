import { createHash, timingSafeEqual } from "node:crypto";
import { isExpired, rightsOf, SvcmError, type Identity, type Ports } from "../core/index.ts";

export interface Identities {
  hasTokens(): boolean;

  /** The owner of the token in an `Authorization` header; `undefined` for a revoked or expired token. */
  find(authorization: string): Identity | undefined;
}

type StoredTokens = NonNullable<ReturnType<Ports["tokens"]["current"]>>;

/** Always compares all digests, each in constant time, so neither content nor length leaks. */
export function createIdentities(
  { tokens, clock }: Pick<Ports, "tokens" | "clock">,
  owner: string | undefined,
): Identities {
  const ownerDigest = owner === undefined ? undefined : digest(Buffer.from(owner, "utf8"));
  return {
    hasTokens: () => ownerDigest !== undefined || readTokens(tokens) !== undefined,
    find(authorization) {
      const [, value] = /^bearer +(.+)$/i.exec(authorization) ?? [];
      if (value === undefined) return undefined;
      // Node decodes header bytes as Latin-1.
      const tokenDigest = digest(Buffer.from(value, "latin1"));
      if (ownerDigest !== undefined && timingSafeEqual(tokenDigest, ownerDigest)) return OWNER;
      const matches = (readTokens(tokens) ?? []).filter((stored) =>
        timingSafeEqual(tokenDigest, Buffer.from(stored.digest, "base64url")),
      );
      const token = matches.find((match) => !isExpired(match, clock.now()));
      return token && identityOf(token);
    },
  };
}

const OWNER: Identity = { actor: "token", role: "admin", grants: rightsOf.admin };

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
