import { createHash, timingSafeEqual } from "node:crypto";
import { isExpired, rightsOf, SvcmError, type Identity, type Ports } from "../core/index.ts";

export interface Identities {
  exist(): boolean;

  /** The owner of the token in an `Authorization` header; `undefined` for a revoked or expired token. */
  of(authorization: string): Identity | undefined;
}

type Stored = NonNullable<ReturnType<Ports["tokens"]["current"]>>;

/** Always compares all digests, each in constant time, so neither content nor length leaks. */
export function identitiesOf(
  { tokens, clock }: Pick<Ports, "tokens" | "clock">,
  owner: string | undefined,
): Identities {
  const ownerDigest = owner === undefined ? undefined : digest(Buffer.from(owner, "utf8"));
  return {
    exist: () => ownerDigest !== undefined || known(tokens) !== undefined,
    of(authorization) {
      const [, given] = /^bearer +(.+)$/i.exec(authorization) ?? [];
      if (given === undefined) return undefined;
      // Node decodes header bytes as Latin-1.
      const asked = digest(Buffer.from(given, "latin1"));
      if (ownerDigest !== undefined && timingSafeEqual(asked, ownerDigest)) return OWNER;
      const found = (known(tokens) ?? []).filter((one) => timingSafeEqual(asked, Buffer.from(one.digest, "base64url")));
      const token = found.find((one) => !isExpired(one, clock.now()));
      return token && identityOf(token);
    },
  };
}

const OWNER: Identity = { actor: "token", role: "admin", grants: rightsOf.admin };

/** An unreadable file grants nothing, and callers without a token lose their rights as if tokens existed. */
function known(tokens: Ports["tokens"]): Stored | undefined {
  try {
    return tokens.current();
  } catch (error) {
    if (error instanceof SvcmError) return [];
    throw error;
  }
}

function identityOf({ name, role, environments, services }: Stored[number]): Identity {
  const isLimited = environments !== undefined || services !== undefined;
  return { actor: name, role, grants: rightsOf[role], ...(isLimited && { limits: { environments, services } }) };
}

function digest(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
