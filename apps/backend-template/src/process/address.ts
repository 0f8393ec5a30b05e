/** `SVC_HTTP_HOST` (default 127.0.0.1) and `SVC_HTTP_PORT`. */
export function httpAddress(
  env: Readonly<Record<string, string | undefined>>,
  defaultPort: number,
): { host: string; port: number } {
  return { host: env["SVC_HTTP_HOST"] || "127.0.0.1", port: readPort(env, "SVC_HTTP_PORT", defaultPort) };
}

/** @throws {Error} if the value is not a port */
export function readPort(env: Readonly<Record<string, string | undefined>>, key: string, fallback: number): number {
  const text = env[key]?.trim();
  if (!text) return fallback;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error(`${key}: "${text}" is not a port; accepted: an integer from 0 (any free one) to 65535`);
}
