/** Failed logins, counted by user and network: after too many in a time window, a lockout follows. */
import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from "rate-limiter-flexible";
import { connectRedis, redisUrl } from "../process/connect-redis.ts";

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
const MAX_KEYS = 10_000;
const WEEK_SECONDS = 7 * 24 * 3600;

/**
 * Opens the limits of `SVC_AUTH_MAX_LOGIN_ATTEMPTS`, `SVC_AUTH_LOGIN_WINDOW_SECONDS` and `SVC_AUTH_LOCKOUT_SECONDS`.
 * They are shared by all processes if the key-value storage is Redis, and kept in this process's memory while Redis is
 * away.
 *
 * @throws {Error} if one of the keys is not such a number, or Redis cannot be reached.
 */
export async function openLoginLimit(keyValueDriver: string, env: Env): Promise<LoginLimit> {
  const points = readInteger(env, "SVC_AUTH_MAX_LOGIN_ATTEMPTS", 5, 1000);
  const duration = readInteger(env, "SVC_AUTH_LOGIN_WINDOW_SECONDS", 900, WEEK_SECONDS);
  const lockout = readInteger(env, "SVC_AUTH_LOCKOUT_SECONDS", 900, WEEK_SECONDS);
  const memory = new RateLimiterMemory({ points, duration });
  if (keyValueDriver !== "redis") return createLimit(memory, memory, lockout, () => Promise.resolve());
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
  return createLimit(shared, memory, lockout, async () => (client.isReady ? client.close() : client.destroy()));
}

/** One user from one network. For IPv6, a network is the 64-bit prefix that a customer gets. */
export function attemptKey(user: string, address: string): string {
  return createHash("sha256")
    .update(`${networkOf(address)}\0${user}`)
    .digest("base64url");
}

function createLimit(
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
    if (recent.size <= MAX_KEYS || oldest === undefined) return;
    recent.delete(oldest);
    await memory.delete(oldest);
  };
  return {
    async lockedFor(key) {
      const entry = await limiter.get(key);
      return entry && entry.consumedPoints > limiter.points ? waitSeconds(entry) : 0;
    },
    async begin(key) {
      await remember(key);
      try {
        await limiter.consume(key);
        return 0;
      } catch (error) {
        if (error instanceof RateLimiterRes) return waitSeconds(error);
        throw error;
      }
    },
    async fail(key) {
      const entry = await limiter.get(key);
      if (entry && entry.consumedPoints >= limiter.points) await limiter.block(key, lockout);
    },
    async succeed(key) {
      recent.delete(key);
      await limiter.delete(key);
    },
    close,
  };
}

function waitSeconds({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}

function networkOf(peer: string): string {
  const address = peer.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!isIPv6(address)) return address;
  const [head = [], tail] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = tail === undefined ? [] : Array<string>(8).fill("0");
  return [...head, ...zeros].slice(0, 4).join(":");
}

/** @throws {Error} naming the key and what it accepts. */
function readInteger(env: Env, key: string, fallback: number, max: number): number {
  const text = env[key]?.trim();
  if (!text) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new Error(`${key}: ${JSON.stringify(text)} is not supported; accepted: an integer from 1 to ${max}`);
}
