import { REDACTED } from "../secrets/redact.ts";
import { isSecretName } from "../secrets/secret-name.ts";
import { isRecord } from "../words/record.ts";

const MAX_KEYS = 50;
const MAX_DEPTH = 3;
const MAX_TEXT = 200;

/** A session id is enough to log in. */
const SESSION = /session|\bsid\b/i;
/** A JSON web token, an authorization header. */
const TOKEN = /\beyJ[\w-]{6,}\.|\b(?:bearer|basic)\s+\S/i;

/**
 * Every key, and the scalar values of keys that do not look secret; everything else is `[REDACTED]`.
 * @param scrub removes known secrets and credentials from every key and text
 * @see CONTRACT section 5
 */
export function redactedStore(store: unknown, scrub: (text: string) => string): Record<string, unknown> {
  return isRecord(store) ? redactedObject(store, scrub, 1) : { value: REDACTED };
}

function redactedObject(
  object: Readonly<Record<string, unknown>>,
  scrub: (text: string) => string,
  depth: number,
): Record<string, unknown> {
  const entries = Object.entries(object).slice(0, MAX_KEYS);
  return Object.fromEntries(entries.map(([key, value]) => [cut(scrub(key)), redactedValue(key, value, scrub, depth)]));
}

function redactedValue(key: string, value: unknown, scrub: (text: string) => string, depth: number): unknown {
  if (isSecretName(key) || SESSION.test(key)) return REDACTED;
  if (typeof value === "string") return TOKEN.test(value) ? REDACTED : cut(scrub(value));
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  return isRecord(value) && depth < MAX_DEPTH ? redactedObject(value, scrub, depth + 1) : REDACTED;
}

/** Cutting must not hide the `@` after a password. */
function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
