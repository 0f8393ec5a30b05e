import type { HasTokens } from "../port-tokens.ts";
import type { Audited } from "../ports.ts";
import { withAudit } from "../with-audit.ts";
import { removeToken } from "../tokens.ts";
import { defineOperation } from "../operation.ts";

/**
 * Removes a token. Its next request is refused, even on an open connection. @throws {SvcmError} TOKEN_NOT_FOUND,
 * TOKENS_FAILED
 */
export const tokenRevoke = defineOperation({
  id: "token.revoke",
  access: "admin",
  refusal: "INVALID_REQUEST",
  run: (ports: Audited & HasTokens, { name }, caller): Promise<{ readonly name: string }> =>
    withAudit(
      ports,
      caller,
      () => ({ action: "token.revoke", target: name }),
      async (begin) => {
        await ports.tokens.update((all) => removeToken(all, name), begin);
        return { name };
      },
    ),
});
