import type { Issue } from "../api/issue.ts";
import type { EnumSpec, FormKind, IntegerSpec, KeySpec } from "../facts/schema.ts";
import { suggest } from "../words/suggest.ts";
import { hasCredentials, maskCredentials, REDACTED } from "../secrets/redact.ts";
import { isSecretValue } from "../secrets/secret-value.ts";
import { forms } from "./forms.ts";
import { spellings } from "./quote.ts";

const MAX_VALUE_LENGTH = 4096;
/** C0, DEL, C1, and the separators that some readers take for line breaks. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/;
const CONTROLS = new RegExp(CONTROL, "g");

/** What is wrong with a value, before it has a place: code, words, and what would be accepted. */
export type ValueProblem = Pick<Issue, "code" | "message" | "accepted" | "suggestion">;

/** What a key accepts, for messages and selects. An empty value is spelled `""`. */
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

/**
 * The first thing that makes a value unacceptable for its key, or `undefined`.
 * The message names key, value (credentials masked) and accepted list.
 *
 * @see the specification, "Errors"; CONTRACT section 3, POST rules
 */
export function valueProblem(key: string, spec: KeySpec, value: string): ValueProblem | undefined {
  const accepted = acceptedValues(spec);
  const refused = (code: string, what: string, otherwise: string): ValueProblem => {
    return { code, message: `${key}: ${what}; accepted: ${listed(accepted) || otherwise}`, accepted };
  };
  if (CONTROL.test(value) || !value.isWellFormed()) {
    const what = `${quote(spec, value)} holds a control character, a line break or broken Unicode`;
    return refused("ENV_VALUE_CONTROL_CHARACTER", what, "a value without them");
  }
  if (value.length > MAX_VALUE_LENGTH) {
    return {
      code: "ENV_VALUE_TOO_LONG",
      message: `${key}: the value has ${value.length} characters; accepted: at most ${MAX_VALUE_LENGTH}`,
    };
  }
  if (carriesCredentials(spec, value) && !allowsCredentials(spec)) {
    return refused("ENV_VALUE_CREDENTIALS", `${quote(spec, value)} carries credentials`, "a value without them");
  }
  return isAccepted(spec, value) ? undefined : unsupported(key, spec, value);
}

/** Why a value cannot be written to an env file, whatever else the file holds, or `undefined`. */
export function spellingProblem(key: string, spec: KeySpec, value: string): ValueProblem | undefined {
  if (spellings(value).length > 0) return undefined;
  const accepted = acceptedValues(spec);
  const form = "without ' or without `, and without \\ at the end";
  const message = `${key}: no quotes make every reader give ${quote(spec, value)} back; accepted: ${[listed(accepted), form].filter(Boolean).join(", ")}`;
  return { code: "ENV_VALUE_UNQUOTABLE", message, accepted };
}

/** Why some readers may replace a part of a value, which the message does not quote, or `undefined`. */
export function expansionProblem(key: string, value: string): ValueProblem | undefined {
  if (!/\$(?:\{|[A-Za-z_])/.test(value)) return undefined;
  const message = `${key}: dotenv and node --env-file take the "$" in the value literally, Bun, Docker Compose and shells replace the name behind it, Bun even between single quotes; write the value without "$" if one of them reads the file`;
  return { code: "ENV_VALUE_EXPANDED", message };
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
      return isIntegerWithin(value, spec);
    case "secret":
    case "connection-url":
      return true;
    default:
      return (value === "" && spec.required !== true) || forms[spec.kind].matches(value);
  }
}

function acceptedIntegers({ minimum = 0, maximum }: IntegerSpec): string {
  return maximum === undefined ? `an integer, at least ${minimum}` : `an integer from ${minimum} to ${maximum}`;
}

/** Digits only, as many as there may be: an identifier has more than a number can hold. */
function isIntegerWithin(value: string, { minimum = 0, maximum }: IntegerSpec): boolean {
  if (!/^\d+$/.test(value) || BigInt(value) < BigInt(minimum)) return false;
  return maximum === undefined || BigInt(value) <= BigInt(maximum);
}

function isRedisUrl(value: string, mayCarryCredentials: boolean): boolean {
  if (!/^rediss?:\/\/[^\s\\]+$/.test(value) || !URL.canParse(value)) return false;
  const { hostname, username, password } = new URL(value);
  return hostname !== "" && (mayCarryCredentials || (username === "" && password === ""));
}

/** A Redis URL has no other use for an `@`, however it is misspelled; free text that svcm writes may not look like a secret. */
function carriesCredentials(spec: KeySpec, value: string): boolean {
  if (spec.kind === "redis-url") return hasCredentials(value) || value.includes("@");
  const isOpen = spec.tier === "editable" && isFormKind(spec);
  return isOpen ? isSecretValue(value) : hasCredentials(value);
}

/** A value as it may be shown: without credentials, however the URL that holds them is misspelled. */
export function shownValue(spec: KeySpec | undefined, value: string): string {
  const masked = maskCredentials(value);
  return spec?.kind === "redis-url" && masked === value ? value.replace(/^.*@/, `${REDACTED}@`) : masked;
}

function allowsCredentials(spec: KeySpec): boolean {
  return (
    spec.kind === "secret" || spec.kind === "connection-url" || (spec.kind === "redis-url" && spec.credentials === true)
  );
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

/** Control characters are escaped before credentials are looked for, so that none of them ends a URL. */
function quote(spec: KeySpec, value: string): string {
  if (spec.tier === "never-exposed") return "the value";
  const json = JSON.stringify(value).slice(1, -1).replaceAll(CONTROLS, codePointEscape);
  const shown = firstLine(shownValue(spec, json));
  return `"${shown.length > 120 ? `${shown.slice(0, 120)}...` : shown}"`;
}

const FIRST_LINE = /^(?:[^\\]|\\u(?!2028|2029)[\da-f]{4}|\\[^nru])*(\\(?:[nr]|u2028|u2029))?/;

/** Up to the first line break of an escaped text: the lines behind it may be a pasted env file. */
function firstLine(escaped: string): string {
  const [line = "", lineBreak] = FIRST_LINE.exec(escaped) ?? [];
  return lineBreak === undefined ? escaped : `${line}...`;
}

/** For what JSON leaves as it is. */
function codePointEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
