import type { Issue } from "../contract/issue.ts";
import type { EnumSpec, KeySpec } from "../facts/schema.ts";
import { suggest } from "../report/suggest.ts";
import { hasCredentials, maskCredentials, REDACTED } from "../secrets/redact.ts";

const MAX_VALUE_LENGTH = 4096;
/** C0, DEL, C1, and the separators that some readers take for line breaks. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/;

/** What is wrong with a value, before it has a place: code, words, and what would be accepted. */
export type ValueProblem = Pick<Issue, "code" | "message" | "accepted" | "suggestion">;

/** What a key accepts, for messages and selects. An empty value is spelled `""`. */
export function acceptedValues(spec: KeySpec): string[] {
  const empty = "allowEmpty" in spec && spec.allowEmpty === true ? [""] : [];
  if (spec.kind === "enum") return [...spec.values, ...empty];
  if (spec.kind === "redis-url") return ["redis://<host>:<port>", "rediss://<host>:<port>", ...empty];
  if (spec.kind === "integer") return [`an integer, at least ${spec.minimum ?? 0}`];
  return [];
}

/**
 * The first thing that makes a value unacceptable for its key, or `undefined`.
 * The message names key, value (credentials masked) and accepted list.
 *
 * @see the specification, "Errors"; CONTRACT section 3, POST rules
 */
export function valueProblem(key: string, spec: KeySpec, value: string): ValueProblem | undefined {
  if (CONTROL.test(value) || !value.isWellFormed()) {
    return {
      code: "ENV_VALUE_CONTROL_CHARACTER",
      message: `${key}: the value holds a control character, a line break or broken Unicode`,
    };
  }
  if (value.length > MAX_VALUE_LENGTH) {
    return {
      code: "ENV_VALUE_TOO_LONG",
      message: `${key}: the value has ${value.length} characters; accepted: at most ${MAX_VALUE_LENGTH}`,
    };
  }
  if (carriesCredentials(spec, value) && !allowsCredentials(spec)) {
    const message = `${key}: ${quote(spec, value)} carries credentials; accepted: ${listed(acceptedValues(spec)) || "a value without them"}`;
    return { code: "ENV_VALUE_CREDENTIALS", message, accepted: acceptedValues(spec) };
  }
  return isAccepted(spec, value) ? undefined : unsupported(key, spec, value);
}

/** `a, b, or empty`: how accepted values read in a message. */
export function listed(accepted: readonly string[]): string {
  return accepted.map((value) => (value === "" ? "empty" : value)).join(", ");
}

function isAccepted(spec: KeySpec, value: string): boolean {
  if (value === "" && "allowEmpty" in spec && spec.allowEmpty === true) return true;
  switch (spec.kind) {
    case "enum":
      return spec.values.includes(value);
    case "redis-url":
      return isRedisUrl(value, allowsCredentials(spec));
    case "integer":
      return /^\d{1,9}$/.test(value) && Number(value) >= (spec.minimum ?? 0);
    case "text":
    case "secret":
      return true;
  }
}

function isRedisUrl(value: string, mayCarryCredentials: boolean): boolean {
  if (!/^rediss?:\/\/[^\s\\]+$/.test(value) || !URL.canParse(value)) return false;
  const { hostname, username, password } = new URL(value);
  return hostname !== "" && (mayCarryCredentials || (username === "" && password === ""));
}

/** A Redis URL has no other use for an `@`, however it is misspelled. */
function carriesCredentials(spec: KeySpec, value: string): boolean {
  return hasCredentials(value) || (spec.kind === "redis-url" && value.includes("@"));
}

/** A value as it may be shown: without credentials, however the URL that holds them is misspelled. */
export function shownValue(spec: KeySpec | undefined, value: string): string {
  const masked = maskCredentials(value);
  return spec?.kind === "redis-url" && masked === value ? value.replace(/^.*@/, `${REDACTED}@`) : masked;
}

function allowsCredentials(spec: KeySpec): boolean {
  return spec.kind === "secret" || (spec.kind === "redis-url" && spec.credentials === true);
}

function unsupported(key: string, spec: KeySpec, value: string): ValueProblem {
  const accepted = acceptedValues(spec);
  const suggestion = spec.kind === "enum" ? meant(spec, value) : undefined;
  const why = spec.kind === "enum" && Object.hasOwn(spec.rejected ?? {}, value) ? ` (${spec.rejected?.[value]})` : "";
  return {
    code: "ENV_VALUE_UNSUPPORTED",
    message: `${key}: unsupported value ${quote(spec, value)}${why}; accepted: ${listed(accepted)}`,
    accepted,
    ...(suggestion !== undefined && { suggestion }),
  };
}

function meant(spec: EnumSpec, value: string): string | undefined {
  const alias = Object.entries(spec.aliases ?? {}).find(([name]) => name === value.toLowerCase());
  return alias?.[1] ?? suggest(value, spec.values);
}

function quote(spec: KeySpec, value: string): string {
  const shown = shownValue(spec, value);
  return JSON.stringify(shown.length > 120 ? `${shown.slice(0, 120)}...` : shown);
}
