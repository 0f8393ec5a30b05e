/** The origins whose pages may send requests over HTTP and WebSocket: `SVC_CORS_ALLOWED_ORIGINS`. */
export type AllowedOrigins = ReadonlySet<string>;

/** @throws {Error} if an entry is not an origin */
export function allowedOrigins(env: Readonly<Record<string, string | undefined>>): AllowedOrigins {
  const given = (env["SVC_CORS_ALLOWED_ORIGINS"] ?? "").split(",").map((origin) => origin.trim());
  const origins = given.filter((origin) => origin !== "");
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue;
    throw new Error(
      `SVC_CORS_ALLOWED_ORIGINS: "${origin}" is not an origin; accepted: https://host or http://host:port, separated by commas`,
    );
  }
  return new Set(origins);
}
