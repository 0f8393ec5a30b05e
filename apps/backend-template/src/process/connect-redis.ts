import { withPackages } from "./required-package.ts";

const FIRST_CONNECT_MS = 3000;

interface RedisOptions {
  /** Commands to a Redis that is away fail at once, those that were on their way included; by default they wait for it. */
  readonly rejectsWhileAway?: boolean;
}

/**
 * A connected Redis client. The first connection is made or refused at once; one that is lost later heals.
 *
 * @param setting what asks for Redis, for the message
 * @throws {Error} where Redis cannot be reached; host and port are named, never a password.
 */
export async function connectRedis(setting: string, url: string, { rejectsWhileAway = false }: RedisOptions = {}) {
  const { createClient } = await withPackages(setting, ["redis"], () => import("redis"));
  let hasConnected = false;
  const client = createClient({
    url,
    disableOfflineQueue: rejectsWhileAway,
    socket: {
      connectTimeout: FIRST_CONNECT_MS,
      // The library would retry the first connection without end.
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
