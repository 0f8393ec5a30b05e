import { type Identity, SvcmError } from "../core/index.ts";
import { type AccessPolicy, anonymousIdentity } from "./access.ts";

/** A wrong token counts as anonymous. @throws {SvcmError} RATE_LIMITED after too many wrong tokens from the address */
export type Authenticate = (address: string, authorization: string | undefined) => Identity;

/**
 * After too many wrong tokens, further tokens from the address are refused for a while. If a valid token came from
 * there before, valid ones still pass, so strangers behind the same proxy cannot lock the owner out.
 */
export function authentication(policy: AccessPolicy, limit: AttemptLimit): Authenticate {
  const attempts = new Attempts(limit);
  return (address, authorization) => {
    if (authorization === undefined || !policy.identities.hasTokens()) return anonymousIdentity(policy);
    const waitSeconds = attempts.waitSeconds(address);
    if (waitSeconds > 0 && !attempts.isTrusted(address)) throw rateLimited(limit, waitSeconds);
    const identity = policy.identities.find(authorization);
    if (identity !== undefined) {
      attempts.recordSuccess(address);
      return identity;
    }
    if (waitSeconds > 0) throw rateLimited(limit, waitSeconds);
    attempts.recordFailure(address);
    return anonymousIdentity(policy);
  };
}

function rateLimited({ failures, windowMs }: AttemptLimit, retryAfterSeconds: number): SvcmError {
  const details = `Accepted: ${failures} wrong tokens from an address within ${windowMs / 1000} s. Try again later.`;
  return new SvcmError("RATE_LIMITED", { details, retryAfterSeconds });
}

export interface AttemptLimit {
  readonly failures: number;
  readonly windowMs: number;
}

const MAX_ADDRESSES = 10_000;
/** After a valid token, an address counts as the owner's for this time. */
const TRUSTED_MS = 3_600_000;

/** While an address is blocked, its attempts are not counted. */
export class Attempts {
  readonly #limit: AttemptLimit;
  readonly #now: () => number;
  readonly #failures = new Map<string, readonly number[]>();
  readonly #successes = new Map<string, number>();

  /** @param now milliseconds of a monotonic clock */
  constructor(limit: AttemptLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  waitSeconds(address: string): number {
    const { failures, windowMs } = this.#limit;
    const [oldest, ...others] = this.#recent(address);
    if (oldest === undefined || others.length + 1 < failures) return 0;
    return Math.ceil((oldest + windowMs - this.#now()) / 1000);
  }

  recordFailure(address: string): void {
    remember(this.#failures, address, [...this.#recent(address), this.#now()]);
  }

  recordSuccess(address: string): void {
    remember(this.#successes, address, this.#now());
  }

  isTrusted(address: string): boolean {
    return this.#now() - (this.#successes.get(address) ?? Number.NEGATIVE_INFINITY) < TRUSTED_MS;
  }

  #recent(address: string): readonly number[] {
    const since = this.#now() - this.#limit.windowMs;
    return (this.#failures.get(address) ?? []).filter((at) => at > since);
  }
}

function remember<T>(entries: Map<string, T>, address: string, value: T): void {
  entries.delete(address);
  entries.set(address, value);
  const [first] = entries.keys();
  if (entries.size > MAX_ADDRESSES && first !== undefined) entries.delete(first);
}
