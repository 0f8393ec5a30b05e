/**
 * A browser cannot set a header on a WebSocket, so it may hand the token over as a subprotocol. The
 * server names only `svcm.v1` in its answer, never the one with the token.
 */
import { SUBPROTOCOL, TOKEN_SUBPROTOCOL } from "../../core/api/channel.ts";

/** What the answer to the upgrade names. */
export function chooseSubprotocol(offered: ReadonlySet<string>): string | false {
  return offered.has(SUBPROTOCOL) && SUBPROTOCOL;
}

/** The token that the offered subprotocols carry, as `Authorization` would; `undefined` where none does. */
export function authorizationOf(offered: string | undefined): string | undefined {
  const names = (offered ?? "").split(",").map((name) => name.trim());
  const carrier = names.find((name) => name.startsWith(TOKEN_SUBPROTOCOL));
  return carrier && bearer(Buffer.from(carrier.slice(TOKEN_SUBPROTOCOL.length), "base64url"));
}

/** The header for a token: its bytes as Latin-1, which is how Node hands header bytes over. */
export function bearer(token: string | Uint8Array): string {
  return `Bearer ${Buffer.from(token as string).toString("latin1")}`;
}
