import { withPackages } from "./required-package.ts";

const FIRST_CONNECT_MS = 3000;

interface RedisOptions {
  /** If true, commands fail at once while Redis is away, including pending ones. By default, they wait. */
  readonly rejectsWhileAway?: boolean;
}

/**
 * The first connection succeeds or fails at once; a lost connection is restored.
 *
 * @param setting the setting that requires Redis, for the message
 * @throws {Error} if Redis cannot be reached; the message has host and port, never a password.
 */
export async function connectRedis(setting: string, url: string, { rejectsWhileAway = false }: RedisOptions = {}) {
  const { createClient } = await withPackages(setting, ["redis"], () => import("redis"));
  let hasConnected = false;
  const client = createClient({
    url,
    disableOfflineQueue: rejectsWhileAway,
    socket: {
      connectTimeout: FIRST_CONNECT_MS,
      // The library would retry the first connection forever.
      reconnectStrategy: (retries: number) => hasConnected && Math.min(50 * 2 ** retries, 2000),
    },
  });
  client.on("error", (error: Error) => {
    if (hasConnected) console.error(`redis: ${error.message}`);
  });
  try {
    await client.connect();
  } catch (error) {
    const { hostname, port } = new URL(url);
    const reason = error instanceof Error ? ("code" in error ? String(error.code) : error.message) : "";
    throw new Error(`${setting}: Redis at ${hostname}:${port || 6379} cannot be reached (${reason})`, { cause: error });
  }
  hasConnected = true;
  return client;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The address of Redis: `SVC_REDIS_URL`, or the keys for host, port, database and password. */
export function redisUrl(env: Env): string {
  if (env["SVC_REDIS_URL"]) return env["SVC_REDIS_URL"];
  const url = new URL(`redis://${env["SVC_REDIS_HOST"] || "127.0.0.1"}:${env["SVC_REDIS_PORT"] || "6379"}`);
  if (env["SVC_REDIS_DATABASE"]) url.pathname = `/${env["SVC_REDIS_DATABASE"]}`;
  if (env["SVC_REDIS_PASSWORD"]) url.password = env["SVC_REDIS_PASSWORD"];
  return url.href;
}
