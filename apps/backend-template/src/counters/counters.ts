import { connectRedis, redisUrl } from "../process/connect-redis.ts";

export interface Counters {
  increment(name: string): Promise<number>;
  /** Returns 0 for a counter that was never incremented. */
  read(name: string): Promise<number>;
  close(): Promise<void>;
}

/** Opens the storage of `SVC_KEYVALUESTORAGE_DRIVER`. @throws {Error} if Redis cannot be reached. */
export function openCounters(driver: string, env: Readonly<Record<string, string | undefined>>): Promise<Counters> {
  return driver === "inmemory" ? Promise.resolve(inMemoryCounters()) : redisCounters(redisUrl(env));
}

function inMemoryCounters(): Counters {
  const counts = new Map<string, number>();
  const read = (name: string): number => counts.get(name) ?? 0;
  return {
    increment(name) {
      counts.set(name, read(name) + 1);
      return Promise.resolve(read(name));
    },
    read: (name) => Promise.resolve(read(name)),
    close: () => Promise.resolve(),
  };
}

async function redisCounters(url: string): Promise<Counters> {
  const client = await connectRedis("SVC_KEYVALUESTORAGE_DRIVER=redis", url);
  return {
    increment: (name) => client.incr(keyOf(name)),
    read: async (name) => Number((await client.get(keyOf(name))) ?? 0),
    close: () => client.close(),
  };
}

function keyOf(name: string): string {
  return `backend:counter:${name}`;
}
