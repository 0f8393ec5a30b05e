import { SvcmError, type Access } from "../core/index.ts";
import { grantsOf, type AccessPolicy } from "./access.ts";
import { Attempts, type AttemptLimit } from "./attempts.ts";

/**
 * What somebody at an address may do who shows this `Authorization`, or none.
 *
 * @throws {SvcmError} RATE_LIMITED after too many wrong tokens from the address.
 */
export type Authenticate = (address: string, authorization: string | undefined) => readonly Access[];

/**
 * Wrong tokens cost time: after too many of them no token of the address is looked at for a while. If the right one came
 * from there before, it still passes: strangers behind the same proxy, or on the same machine, cannot lock its owner out.
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
