import type { HasTokens } from "../port-tokens.ts";
import type { HasClock } from "../../files/port-host.ts";
import type { TokenListResponse } from "../../api/identity.ts";
import { isExpired } from "../tokens.ts";
import { defineOperation } from "../operation.ts";

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
