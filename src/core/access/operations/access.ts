import type { HasTokens, Audited, HasAudit } from "../ports.ts";
import { type HasClock, FileError } from "../../files/ports.ts";
import { SvcmError } from "../../api/errors.ts";
import { withAudit } from "../with-audit.ts";
import { isExpired, removeToken } from "../tokens.ts";
import { defineOperation, isGranted } from "../operation.ts";
import type { TokenListResponse, IdentityResponse } from "../../api/identity.ts";
import type { AuditListResponse } from "../../api/bodies.ts";
import { rights } from "../../api/rights.ts";

export type ListedToken = TokenListResponse["tokens"][number];

/** Lists the tokens of the repository, without their digests. @throws {SvcmError} TOKENS_FAILED */
export const tokenList = defineOperation({
  id: "token.list",
  access: "admin",
  refusal: "INVALID_REQUEST",
  run({ tokens, clock }: HasClock & HasTokens): Promise<TokenListResponse> {
    const now = clock.now();
    const listed = (tokens.current() ?? []).map(({ digest: _digest, ...token }) => ({
      ...token,
      expired: isExpired(token, now),
    }));
    return Promise.resolve({ tokens: listed.toSorted((a, b) => (a.name < b.name ? -1 : 1)) });
  },
});

/**
 * Removes a token. Its next request is refused, even on an open connection. @throws {SvcmError} TOKEN_NOT_FOUND,
 * TOKENS_FAILED
 */
export const tokenRevoke = defineOperation({
  id: "token.revoke",
  access: "admin",
  refusal: "INVALID_REQUEST",
  run: (ports: Audited & HasTokens, { name }, caller): Promise<{ readonly name: string }> =>
    withAudit(ports, caller, { action: "token.revoke", target: name }, async ({ begin }) => {
      await ports.tokens.update((all) => removeToken(all, name), begin);
      return { name };
    }).catch(sayIfItWorks(ports, name)),
});

/** A user must not believe that the token has ended. */
function sayIfItWorks({ tokens, clock }: HasTokens & HasClock, name: string): (error: unknown) => never {
  return (error) => {
    const failed = error instanceof SvcmError && ["AUDIT_FAILED", "TOKENS_FAILED"].includes(error.kind);
    if (!failed || !isValid({ tokens, clock }, name)) throw error;
    throw new SvcmError(error.kind, { ...error.body, details: `The token still works. ${error.body.details}` });
  };
}

/** No token of a file that cannot be read is valid. */
function isValid({ tokens, clock }: HasTokens & HasClock, name: string): boolean {
  try {
    return tokens.current()?.some((one) => one.name === name && !isExpired(one, clock.now())) === true;
  } catch {
    return false;
  }
}

const DEFAULT_LIMIT = 50;

/** Records contain no values. @see CONTRACT section 8 */
export const auditList = defineOperation({
  id: "audit.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasAudit, { limit = DEFAULT_LIMIT, ...filter }, { signal }): Promise<AuditListResponse> {
    try {
      const { records, isComplete } = await ports.audit.newest({ limit, ...filter }, signal);
      return { records, complete: isComplete };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw new SvcmError("AUDIT_FAILED", { code: error.code, path: error.path, details: error.message });
    }
  },
});

/** Returns the caller's identity. */
export const identityShow = defineOperation({
  id: "identity.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  run(_ports, _input, { actor = "anonymous", role = null, grants, limits }): Promise<IdentityResponse> {
    const granted = rights.filter((right) => isGranted(grants, right));
    return Promise.resolve({ actor, role, rights: granted, ...limits });
  },
});
