import { SvcmError, type Identity } from "../core/index.ts";
import { anonymous, type AccessPolicy } from "./access.ts";
import { Attempts, type AttemptLimit } from "./attempts.ts";

/** A wrong token is anonymous. @throws {SvcmError} RATE_LIMITED after too many wrong tokens from the address */
export type Authenticate = (address: string, authorization: string | undefined) => Identity;

/**
 * After too many wrong tokens, those of an address are refused for a while. If a right token came from there before,
 * right ones still pass, so strangers behind the same proxy cannot lock the owner out.
 */
export function authentication(policy: AccessPolicy, limit: AttemptLimit): Authenticate {
  const attempts = new Attempts(limit);
  return (address, authorization) => {
    if (authorization === undefined || !policy.identities.exist()) return anonymous(policy);
    const waitSeconds = attempts.waitSeconds(address);
    if (waitSeconds > 0 && !attempts.isKnown(address)) throw tooMany(limit, waitSeconds);
    const identity = policy.identities.of(authorization);
    if (identity !== undefined) {
      attempts.succeeded(address);
      return identity;
    }
    if (waitSeconds > 0) throw tooMany(limit, waitSeconds);
    attempts.failed(address);
    return anonymous(policy);
  };
}

function tooMany({ failures, windowMs }: AttemptLimit, retryAfterSeconds: number): SvcmError {
  const details = `Accepted: ${failures} wrong tokens from an address within ${windowMs / 1000} s. Try again later.`;
  return new SvcmError("RATE_LIMITED", { details, retryAfterSeconds });
}
