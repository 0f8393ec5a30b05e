import { SvcmError, type Access } from "../core/index.ts";
import { grantsOf, type AccessPolicy } from "./access.ts";
import { Attempts, type AttemptLimit } from "./attempts.ts";

/** @throws {SvcmError} RATE_LIMITED after too many wrong tokens from the address */
export type Authenticate = (address: string, authorization: string | undefined) => readonly Access[];

/**
 * After too many wrong tokens, those of an address are refused for a while. If the right token came from there before,
 * it still passes, so strangers behind the same proxy cannot lock the owner out.
 */
export function authentication(policy: AccessPolicy, limit: AttemptLimit): Authenticate {
  const attempts = new Attempts(limit);
  return (address, authorization) => {
    if (policy.hasToken === undefined || authorization === undefined) return grantsOf(policy, authorization);
    const waitSeconds = attempts.waitSeconds(address);
    if (waitSeconds > 0 && !attempts.isKnown(address)) throw tooMany(limit, waitSeconds);
    const grants = grantsOf(policy, authorization);
    if (grants.includes("write")) {
      attempts.succeeded(address);
      return grants;
    }
    if (waitSeconds > 0) throw tooMany(limit, waitSeconds);
    attempts.failed(address);
    return grants;
  };
}

function tooMany({ failures, windowMs }: AttemptLimit, retryAfterSeconds: number): SvcmError {
  const details = `Accepted: ${failures} wrong tokens from an address within ${windowMs / 1000} s. Try again later.`;
  return new SvcmError("RATE_LIMITED", { details, retryAfterSeconds });
}
