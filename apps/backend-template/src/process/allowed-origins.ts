/** Which pages of other origins may ask: those of `SVC_CORS_ALLOWED_ORIGINS`, over HTTP and WebSocket alike. */
export type AllowedOrigins = ReadonlySet<string>;

/** @throws {Error} where an entry of the list is no origin. */
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
