import type { IncomingMessage } from "node:http";

/** The origins whose pages may send requests over HTTP and WebSocket: `SVC_CORS_ALLOWED_ORIGINS`. */
export type AllowedOrigins = ReadonlySet<string>;

/** @throws {Error} if an entry is not an origin */
export function allowedOrigins(env: Readonly<Record<string, string | undefined>>): AllowedOrigins {
  const entries = (env["SVC_CORS_ALLOWED_ORIGINS"] ?? "").split(",").map((origin) => origin.trim());
  const origins = entries.filter((origin) => origin !== "");
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue;
    throw new Error(
      `SVC_CORS_ALLOWED_ORIGINS: "${origin}" is not an origin; accepted: https://host or http://host:port, separated by commas`,
    );
  }
  return new Set(origins);
}

/** A browser lets any page send requests, so the server must check the origin. Other clients send no origin. */
export function isOriginAllowed({ headers }: IncomingMessage, allowed: AllowedOrigins): boolean {
  const { origin, host } = headers;
  if (origin === undefined || allowed.has(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
