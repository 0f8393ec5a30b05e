import { SvcmError } from "../errors.ts";
import type { Profile, RuntimeContract } from "../facts/schema.ts";
import { suggest } from "../words/suggest.ts";
import { heldValue } from "./plan.ts";
import { specOf, tierOf, tierReason } from "./tiers.ts";
import { valueProblem } from "./value-rules.ts";

/** One assignment of a profile applied to one file. */
export interface ProfileStep {
  readonly key: string;
  /** What will be written; absent where the operator has to set the key in the file. */
  readonly value?: string;
  /** Why svcm does not write it. */
  readonly manual?: string;
}

/** @throws {SvcmError} NOT_FOUND with the accepted names. */
export function profileOf(contract: RuntimeContract, name: string): Profile {
  if (Object.hasOwn(contract.profiles, name) && contract.profiles[name]) return contract.profiles[name];
  const accepted = Object.keys(contract.profiles);
  const meant = suggest(name, accepted);
  throw new SvcmError("NOT_FOUND", {
    code: "PROFILE_NOT_FOUND",
    details: `No operational profile ${JSON.stringify(name)}. Accepted: ${accepted.join(", ")}.`,
    ...(meant !== undefined && { hint: `Did you mean ${meant}?` }),
  });
}

/**
 * What applying a profile means for a file: fixed assignments are written, a placeholder takes the
 * given value, else the acceptable one that the file holds; a key outside the allowlist is left to
 * the operator, with the reason.
 *
 * @param given values for placeholders, key to value
 * @throws {SvcmError} INVALID_PAYLOAD if a placeholder has no value
 */
export function profileSteps(
  contract: RuntimeContract,
  profile: Profile,
  text: string,
  given: Readonly<Record<string, string>>,
): ProfileStep[] {
  return Object.entries(profile.assignments).map(([key, assigned]): ProfileStep => {
    if (tierOf(contract, key) !== "editable") return { key, manual: tierReason(contract, key) };
    return { key, value: isPlaceholder(assigned) ? placeholderValue(contract, key, assigned, text, given) : assigned };
  });
}

/** `<integer>`, `<REDIS_URL>`: for the operator to fill in. */
export function isPlaceholder(assigned: string): boolean {
  return /^<[^>]+>$/.test(assigned);
}

function placeholderValue(
  contract: RuntimeContract,
  key: string,
  assigned: string,
  text: string,
  given: Readonly<Record<string, string>>,
): string {
  if (Object.hasOwn(given, key)) return given[key] ?? "";
  const held = heldValue(text, key) ?? "";
  const spec = specOf(contract, key);
  if (held !== "" && spec && !valueProblem(key, spec, held)) return held;
  throw new SvcmError("INVALID_PAYLOAD", {
    code: "PROFILE_VALUE_MISSING",
    details: `The profile needs a value for ${key}, ${assigned}.`,
    hint: `Add it to the command: ${key}=${assigned}`,
  });
}

/**
 * The message repeats no given value: it may be a secret.
 *
 * @throws {SvcmError} INVALID_PAYLOAD if a value is given for a key that is no placeholder of the profile
 */
export function refuseUnusedValues(name: string, profile: Profile, given: Readonly<Record<string, string>>): void {
  const accepted = Object.keys(profile.assignments).filter((key) => isPlaceholder(profile.assignments[key] ?? ""));
  const unused = Object.keys(given).find((key) => !accepted.includes(key));
  if (unused === undefined) return;
  const takes = accepted.length === 0 ? "no values" : `values only for ${accepted.join(", ")}`;
  throw new SvcmError("INVALID_PAYLOAD", {
    code: "PROFILE_VALUE_UNKNOWN",
    details: `The profile ${JSON.stringify(name)} takes ${takes}; ${unused} is not used.`,
  });
}
