/** A browser cannot set a header on a WebSocket, so it may send the token as a subprotocol. No response repeats it. */
import { SUBPROTOCOL, TOKEN_SUBPROTOCOL } from "../../core/api/channel.ts";

export function chooseSubprotocol(offered: ReadonlySet<string>): string | false {
  return offered.has(SUBPROTOCOL) && SUBPROTOCOL;
}

export function authorizationOf(offered: string | undefined): string | undefined {
  const names = (offered ?? "").split(",").map((name) => name.trim());
  const carrier = names.find((name) => name.startsWith(TOKEN_SUBPROTOCOL));
  return carrier && bearer(Buffer.from(carrier.slice(TOKEN_SUBPROTOCOL.length), "base64url"));
}

/** Node decodes header bytes as Latin-1. */
export function bearer(token: string | Uint8Array): string {
  return `Bearer ${Buffer.from(token as string).toString("latin1")}`;
}
