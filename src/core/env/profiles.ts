import { SvcmError } from "../api/errors.ts";
import type { Profile, RuntimeContract } from "../api/facts.ts";
import { didYouMean } from "../words/suggest.ts";
import { parseEnvDocument, valuesOf } from "./document.ts";
import type { EnvValues } from "./plan.ts";
import { specOf, tierOf, tierReason } from "./runtime-keys.ts";
import { valueIssue } from "./value-rules.ts";

export interface ProfileStep {
  readonly key: string;
  readonly value?: string;
  readonly manual?: string;
}

export function findProfile(contract: RuntimeContract, name: string): Profile {
  if (Object.hasOwn(contract.profiles, name) && contract.profiles[name]) return contract.profiles[name];
  const accepted = Object.keys(contract.profiles);
  throw new SvcmError("NOT_FOUND", {
    code: "PROFILE_NOT_FOUND",
    details: `No operational profile ${JSON.stringify(name)}. Accepted: ${accepted.join(", ")}.`,
    hint: didYouMean(name, accepted),
  });
}

/**
 * A placeholder gets the given value, or keeps an acceptable value of the file. The user sets keys outside the
 * allowlist.
 * @throws {SvcmError} INVALID_PAYLOAD if a placeholder has no value
 */
export function profileSteps(
  contract: RuntimeContract,
  profile: Profile,
  text: string,
  provided: EnvValues,
): ProfileStep[] {
  return Object.entries(profile.assignments).map(([key, assigned]): ProfileStep => {
    if (tierOf(contract, key) !== "editable") return { key, manual: tierReason(contract, key) };
    return {
      key,
      value: isPlaceholder(assigned) ? placeholderValue(contract, key, assigned, text, provided) : assigned,
    };
  });
}

export function isPlaceholder(assigned: string): boolean {
  return /^<[^>]+>$/.test(assigned);
}

function placeholderValue(
  contract: RuntimeContract,
  key: string,
  assigned: string,
  text: string,
  provided: EnvValues,
): string {
  if (Object.hasOwn(provided, key)) return provided[key] ?? "";
  const current = valuesOf(parseEnvDocument(text)).get(key) ?? "";
  const spec = specOf(contract, key);
  if (current !== "" && spec && !valueIssue(key, spec, current)) return current;
  throw new SvcmError("INVALID_PAYLOAD", {
    code: "PROFILE_VALUE_MISSING",
    details: `The profile needs a value for ${key}, ${assigned}.`,
    hint: `Add it to the command: ${key}=${assigned}`,
  });
}

/** A given value may be a secret, so the message does not repeat it. @throws {SvcmError} INVALID_PAYLOAD */
export function refuseUnusedValues(name: string, profile: Profile, provided: EnvValues): void {
  const accepted = Object.keys(profile.assignments).filter((key) => isPlaceholder(profile.assignments[key] ?? ""));
  const unused = Object.keys(provided).find((key) => !accepted.includes(key));
  if (unused === undefined) return;
  const accepts = accepted.length === 0 ? "no values" : `values only for ${accepted.join(", ")}`;
  throw new SvcmError("INVALID_PAYLOAD", {
    code: "PROFILE_VALUE_UNKNOWN",
    details: `The profile ${JSON.stringify(name)} takes ${accepts}; ${unused} is not used.`,
  });
}
