import { SOCKET_PATH, SUBPROTOCOL, TOKEN_SUBPROTOCOL } from "../core/api/channel.ts";

export interface Address {
  readonly socket: string;
  readonly http: string;
}

/**
 * @param service may include the path under which a proxy serves it
 * @throws {TypeError} if it is not an http, https, ws or wss URL
 */
export function addressOf(service: string | URL): Address {
  const url = new URL(service);
  if (!/^(?:http|ws)s?:$/.test(url.protocol)) throw new TypeError("Accepted: an http or https URL of the service.");
  if (url.username !== "" || url.password !== "") throw new TypeError("Accepted: a URL without credentials.");
  const { host, pathname } = url;
  const path = pathname.replace(/\/$/, "") + SOCKET_PATH;
  const secure = url.protocol.endsWith("s:") ? "s" : "";
  return { socket: `ws${secure}://${host}${path}`, http: `http${secure}://${host}${path}` };
}

/** A browser can send the token only as a subprotocol. */
export function subprotocols(token: string | undefined): string[] {
  return token === undefined ? [SUBPROTOCOL] : [SUBPROTOCOL, `${TOKEN_SUBPROTOCOL}${base64url(token)}`];
}

function base64url(text: string): string {
  const binary = String.fromCodePoint(...new TextEncoder().encode(text));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
