import type { FormKind, IntegerSpec, KeySpec, RuntimeContract, Tier } from "../api/facts.ts";
import { PROJECT_FILE, isProjectContract } from "../project/project.ts";
import { keySource } from "../project/facts/own-contract.ts";
import { REDACTED, hasCredentials, isSecretName, isSecretValue, maskCredentials } from "../secrets/redact.ts";
import { MAX_PORT, isPort } from "../words/numbers.ts";

/** Lowest and highest number of each field, from the last to the first, which has seconds. */
const RANGES = [
  [0, 7],
  [1, 12],
  [1, 31],
  [0, 23],
  [0, 59],
  [0, 59],
] as const;

/** Schedulers differ in names, `L` and `#`, but not in the ranges of numbers. */
function isCronPattern(text: string): boolean {
  const fields = text.split(/ +/).toReversed();
  return /^@[a-z]+$/i.test(text) || ((fields.length === 5 || fields.length === 6) && fields.every(isField));
}

function isField(field: string, index: number): boolean {
  const [low, high] = RANGES[index] ?? [0, 0];
  const numbers = [...field.matchAll(/(?<![\d#/])\d+/g)].map(Number);
  return (
    /^[\w*?,/#-]+$/.test(field) && !/\/(?!0*[1-9])/.test(field) && numbers.every((one) => one >= low && one <= high)
  );
}

/** Ignores members of `Object.prototype`. */
export function specOf(contract: Pick<RuntimeContract, "keys">, key: string): KeySpec | undefined {
  return Object.hasOwn(contract.keys, key) ? contract.keys[key] : undefined;
}

export function tierOf(contract: Pick<RuntimeContract, "keys">, key: string): Tier {
  return specOf(contract, key)?.tier ?? "never-exposed";
}

export function editableKeys(contract: RuntimeContract): string[] {
  return keysOfTier(contract, "editable");
}

export function visibleKeys(contract: RuntimeContract): string[] {
  return [...keysOfTier(contract, "editable"), ...keysOfTier(contract, "read-only")];
}

export function tierReason(contract: RuntimeContract, key: string): string {
  return specOf(contract, key)?.reason ?? contract.tiers[tierOf(contract, key)].reason;
}

export function describeUnlisted(contract: RuntimeContract, key: string, done: "shown" | "written"): string {
  const source = isProjectContract(contract) ? PROJECT_FILE : keySource(contract);
  if (source === "packaged")
    return `${key} is not listed in the runtime contract. Unlisted keys are treated as secrets and never ${done}`;
  const refused = `${source} does not declare ${key}, so it counts as a secret and is never ${done}`;
  return isSecretName(key)
    ? refused
    : `${refused}. If it is not one: svcm keys add ${key}${done === "shown" ? " --kind text" : " --allow"}`;
}

function keysOfTier(contract: RuntimeContract, tier: Tier): string[] {
  return Object.keys(contract.keys).filter((key) => contract.keys[key]?.tier === tier);
}

export function defaultOf(contract: RuntimeContract, key: string): string {
  const spec = specOf(contract, key);
  return spec?.tier === "editable" && "default" in spec ? (spec.default ?? "") : "";
}

export function isRequired(spec: KeySpec): boolean {
  return "required" in spec && spec.required === true;
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
export const CONTROL_CHARACTER = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/;
const CONTROLS = new RegExp(CONTROL_CHARACTER, "g");

export function acceptedValues(spec: KeySpec): string[] {
  const empty = "allowEmpty" in spec && spec.allowEmpty === true ? [""] : [];
  if (spec.kind === "enum") return [...spec.values, ...empty];
  if (spec.kind === "redis-url") return ["redis://<host>:<port>", "rediss://<host>:<port>", ...empty];
  if (spec.kind === "integer") return [acceptedIntegers(spec)];
  return isFormKind(spec) ? [...forms[spec.kind].accepted] : [];
}

function isFormKind(spec: KeySpec): spec is Extract<KeySpec, { kind: FormKind }> {
  return Object.hasOwn(forms, spec.kind);
}

export function isAccepted(spec: KeySpec, value: string): boolean {
  if (value === "" && "allowEmpty" in spec && spec.allowEmpty === true) return true;
  switch (spec.kind) {
    case "enum":
      return spec.values.includes(value);
    case "redis-url":
      return isRedisUrl(value, mayCarryCredentials(spec));
    case "integer":
      return isIntegerWithin(value, spec);
    case "secret":
    case "connection-url":
      return true;
    default:
      return (value === "" && spec.required !== true) || forms[spec.kind].matches(value);
  }
}

/** `required: false` says that the program expects an empty value. */
export function isEmptyMisread(spec: KeySpec): boolean {
  return isFormKind(spec) && !("required" in spec && spec.required === false) && !forms[spec.kind].matches("");
}

function acceptedIntegers({ minimum = 0, maximum }: IntegerSpec): string {
  return maximum === undefined ? `an integer, at least ${minimum}` : `an integer from ${minimum} to ${maximum}`;
}

/** An integer can exceed the range of JavaScript numbers. */
function isIntegerWithin(value: string, { minimum = 0, maximum }: IntegerSpec): boolean {
  if (!/^\d+$/.test(value) || BigInt(value) < BigInt(minimum)) return false;
  return maximum === undefined || BigInt(value) <= BigInt(maximum);
}

function isRedisUrl(value: string, allowsCredentials: boolean): boolean {
  if (!/^rediss?:\/\/[^\s\\]+$/.test(value) || !URL.canParse(value)) return false;
  const { hostname, username, password } = new URL(value);
  return hostname !== "" && (allowsCredentials || (username === "" && password === ""));
}

/** An `@` in a Redis URL, even a misspelled one, follows credentials. */
export function seemsToCarryCredentials(spec: KeySpec, value: string): boolean {
  if (spec.kind === "redis-url") return hasCredentials(value) || value.includes("@");
  const isOpen = spec.tier === "editable" && isFormKind(spec);
  return isOpen ? isSecretValue(value) : hasCredentials(value);
}

/** A guess holds for the values that `svcm init` saw: one that looks like a secret is hidden until a user confirms. */
export function outlivesGuess(spec: KeySpec | undefined, value: string): boolean {
  return spec?.guess !== undefined && isSecretValue(value);
}

export function maskValue(spec: KeySpec | undefined, value: string): string {
  if (outlivesGuess(spec, value)) return REDACTED;
  const masked = maskCredentials(value);
  return spec?.kind === "redis-url" && masked === value ? value.replace(/^.*@/, `${REDACTED}@`) : masked;
}

export function mayCarryCredentials(spec: KeySpec): boolean {
  return (
    spec.kind === "secret" || spec.kind === "connection-url" || (spec.kind === "redis-url" && spec.credentials === true)
  );
}

/** Control characters are escaped first, because one of them would end a URL, and its mask with it. */
export function quoteValue(spec: KeySpec, value: string): string {
  if (spec.tier === "never-exposed") return "the value";
  const json = JSON.stringify(value).slice(1, -1).replaceAll(CONTROLS, codePointEscape);
  const masked = firstLine(maskValue(spec, json));
  return `"${masked.length > 120 ? `${masked.slice(0, 120)}...` : masked}"`;
}

const FIRST_LINE = /^(?:[^\\]|\\u(?!2028|2029)[\da-f]{4}|\\[^nru])*(\\(?:[nr]|u2028|u2029))?/;

function firstLine(escaped: string): string {
  const [line = "", lineBreak] = FIRST_LINE.exec(escaped) ?? [];
  return lineBreak === undefined ? escaped : `${line}...`;
}

function codePointEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

interface Form {
  readonly accepted: readonly string[];
  matches(value: string): boolean;
}

const UNIT_OF_TIME = "ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|y|years?";
const DURATION = new RegExp(
  String.raw`^(?:\d+(?:\.\d+)? ?(?:${UNIT_OF_TIME})?|(?:\d+(?:\.\d+)? ?(?:${UNIT_OF_TIME}) ?){2,})$`,
  "i",
);
const SWITCHES = ["true", "false", "yes", "no", "on", "off", "1", "0"];

/** An empty value means that the variable is not set. */
export const forms: Readonly<Record<FormKind, Form>> = {
  boolean: { accepted: SWITCHES, matches: (value) => SWITCHES.includes(value.toLowerCase()) },
  port: {
    accepted: [`a port from 1 to ${MAX_PORT}`],
    matches: (value) => /^[1-9]\d{0,4}$/.test(value) && isPort(Number(value)),
  },
  number: {
    accepted: ["a number, for example 0.5"],
    matches: (value) => /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(value),
  },
  url: {
    accepted: ["a URL without a password or key, for example https://api.example.com"],
    matches: (value) => /^[a-z][a-z\d+.-]*:\/\/[^\s]+$/i.test(value) && URL.canParse(value),
  },
  duration: { accepted: ["a duration, for example 500ms, 15m or 7 days"], matches: (value) => DURATION.test(value) },
  size: {
    accepted: ["a size, for example 512kb or 10 MiB"],
    matches: (value) => /^\d+(?:\.\d+)? ?(?:[kmgtp]i?b?|b|bytes?)?$/i.test(value),
  },
  email: {
    accepted: ["an email address, for example ops@example.com"],
    matches: (value) => /^(?:[^<>@]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(value),
  },
  cron: {
    accepted: ["a cron expression of five or six fields, for example 0 3 * * *"],
    matches: isCronPattern,
  },
  json: { accepted: ["JSON"], matches: isJson },
  path: { accepted: ["a path"], matches: () => true },
  list: { accepted: ["a list, for example a,b,c"], matches: () => true },
  text: { accepted: [], matches: () => true },
};

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
