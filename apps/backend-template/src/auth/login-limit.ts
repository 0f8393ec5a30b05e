/** Failed logins, counted by user and network: after too many in a time window, a lockout follows. */
import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from "rate-limiter-flexible";
import { connectRedis } from "../process/connect-redis.ts";
import { redisUrl } from "../process/redis-options.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface LoginLimit {
  /** Seconds until the next attempt is allowed; 0 if it is allowed now. */
  lockedFor(key: string): Promise<number>;
  /** Called before the password is checked, so that concurrent attempts count, too. Returns as `lockedFor`. */
  begin(key: string): Promise<number>;
  /** The last permitted failure in the window starts the lockout. */
  fail(key: string): Promise<void>;
  succeed(key: string): Promise<void>;
  close(): Promise<void>;
}

/** The oldest keys are dropped first. */
const MOST_KEYS = 10_000;
const A_WEEK = 7 * 24 * 3600;

/**
 * Opens the limits of `SVC_AUTH_MAX_LOGIN_ATTEMPTS`, `SVC_AUTH_LOGIN_WINDOW_SECONDS` and `SVC_AUTH_LOCKOUT_SECONDS`.
 * They are shared by all processes if the key-value storage is Redis, and kept in this process's memory while Redis is
 * away.
 *
 * @throws {Error} if one of the keys is not such a number, or Redis cannot be reached.
 */
export async function openLoginLimit(keyValueDriver: string, env: Env): Promise<LoginLimit> {
  const points = integerOf(env, "SVC_AUTH_MAX_LOGIN_ATTEMPTS", 5, 1000);
  const duration = integerOf(env, "SVC_AUTH_LOGIN_WINDOW_SECONDS", 900, A_WEEK);
  const lockout = integerOf(env, "SVC_AUTH_LOCKOUT_SECONDS", 900, A_WEEK);
  const memory = new RateLimiterMemory({ points, duration });
  if (keyValueDriver !== "redis") return limitBy(memory, memory, lockout, () => Promise.resolve());
  const setting = "SVC_ENABLE_BASIC_AUTH=yes with SVC_KEYVALUESTORAGE_DRIVER=redis";
  const client = await connectRedis(setting, redisUrl(env), { rejectsWhileAway: true });
  const shared = new RateLimiterRedis({
    storeClient: client,
    useRedisPackage: true,
    // Otherwise, a command would wait until Redis is back.
    rejectIfRedisNotReady: true,
    insuranceLimiter: memory,
    keyPrefix: "backend:login",
    points,
    duration,
  });
  return limitBy(shared, memory, lockout, async () => (client.isReady ? client.close() : client.destroy()));
}

/** One user from one network. For IPv6, a network is the 64-bit prefix that a customer gets. */
export function attemptKey(user: string, address: string): string {
  return createHash("sha256")
    .update(`${networkOf(address)}\0${user}`)
    .digest("base64url");
}

function limitBy(
  limiter: RateLimiterAbstract,
  memory: RateLimiterMemory,
  lockout: number,
  close: () => Promise<void>,
): LoginLimit {
  const recent = new Set<string>();
  const remember = async (key: string): Promise<void> => {
    recent.delete(key);
    recent.add(key);
    const [oldest] = recent;
    if (recent.size <= MOST_KEYS || oldest === undefined) return;
    recent.delete(oldest);
    await memory.delete(oldest);
  };
  return {
    async lockedFor(key) {
      const known = await limiter.get(key);
      return known && known.consumedPoints > limiter.points ? secondsOf(known) : 0;
    },
    async begin(key) {
      await remember(key);
      try {
        await limiter.consume(key);
        return 0;
      } catch (error) {
        if (error instanceof RateLimiterRes) return secondsOf(error);
        throw error;
      }
    },
    async fail(key) {
      const known = await limiter.get(key);
      if (known && known.consumedPoints >= limiter.points) await limiter.block(key, lockout);
    },
    async succeed(key) {
      recent.delete(key);
      await limiter.delete(key);
    },
    close,
  };
}

function secondsOf({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}

function networkOf(given: string): string {
  const address = given.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!isIPv6(address)) return address;
  const [left = [], right] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = right === undefined ? [] : Array<string>(8).fill("0");
  return [...left, ...zeros].slice(0, 4).join(":");
}

/** @throws {Error} naming the key and what it accepts. */
function integerOf(env: Env, key: string, otherwise: number, most: number): number {
  const given = env[key]?.trim();
  if (!given) return otherwise;
  const value = Number(given);
  if (/^\d+$/.test(given) && value >= 1 && value <= most) return value;
  throw new Error(`${key}: ${JSON.stringify(given)} is not supported; accepted: an integer from 1 to ${most}`);
}
