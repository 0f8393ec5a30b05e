import type { IncomingMessage } from "node:http";
import { BlockList } from "node:net";
import type { Authentication } from "../../auth/authentication.ts";
import { isOriginAllowed, type AllowedOrigins } from "../../process/allowed-origins.ts";
import type { RouteResponse, Route } from "./route.ts";

const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

export function needsNoCredentials({ access }: Pick<Route, "access">, request: IncomingMessage): boolean {
  return access === "everyone" || (access === "this machine" && isLocalRequest(request));
}

/** `undefined` if the request may pass. */
export async function checkCredentials(
  request: IncomingMessage,
  authentication: Authentication,
  allowedOrigins: AllowedOrigins,
): Promise<RouteResponse | undefined> {
  // A browser adds the user's credentials to requests of any page.
  if (!isOriginAllowed(request, allowedOrigins)) return { status: 403, body: { error: "This origin is not allowed." } };
  const { authorization } = request.headers;
  const verdict = await authentication.authenticate({ authorization, address: addressOf(request) });
  if ("user" in verdict) return undefined;
  const body = { error: verdict.error };
  if ("retryAfterSeconds" in verdict) {
    return { status: 429, body, headers: { "retry-after": `${verdict.retryAfterSeconds}` } };
  }
  return { status: 401, body, headers: { "www-authenticate": authentication.challenge } };
}

function isLocalRequest(request: IncomingMessage): boolean {
  const address = addressOf(request).replace(/^::ffff:(?=\d+\.)/i, "");
  const isLoopback = loopback.check(address, address.includes(":") ? "ipv6" : "ipv4");
  return isLoopback && PROXY_HEADERS.every((name) => request.headers[name] === undefined);
}

function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? "";
}
