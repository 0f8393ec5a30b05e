/** `SVC_HTTP_HOST` (default 127.0.0.1) and `SVC_HTTP_PORT`. */
export function httpAddress(
  env: Readonly<Record<string, string | undefined>>,
  defaultPort: number,
): { host: string; port: number } {
  return { host: env["SVC_HTTP_HOST"] || "127.0.0.1", port: portOf(env, "SVC_HTTP_PORT", defaultPort) };
}

/** @throws {Error} if the value is not a port */
export function portOf(env: Readonly<Record<string, string | undefined>>, key: string, otherwise: number): number {
  const given = env[key]?.trim();
  if (!given) return otherwise;
  const port = Number(given);
  if (/^\d+$/.test(given) && port <= 65_535) return port;
  throw new Error(`${key}: "${given}" is not a port; accepted: an integer from 0 (any free one) to 65535`);
}
