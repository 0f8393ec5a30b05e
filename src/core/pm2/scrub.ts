import { isOwnContract } from "../project/facts/own-contract.ts";
import type { RuntimeContract } from "../api/facts.ts";
import {
  REDACTED,
  hasCredentials,
  isSecretName,
  isSecretValue,
  isSecretVariable,
  maskCredentials,
} from "../secrets/redact.ts";
import { escapeRegExp } from "../words/text.ts";
import { outlivesGuess, specOf } from "../env/runtime-keys.ts";

export type Scrub = (text: string) => string;

const MIN_SECRET_LENGTH = 6;
/** Secret even if the value is an ordinary word. */
const CERTAIN_SECRET_NAME =
  /SECRET|TOKEN|PASSW|PASSPHRASE|PWD|CREDENTIAL|PRIVATE|(?:API|ACCESS|SIGNING|ENCRYPTION)_?KEY|BEARER|JWT/i;
const MAX_DEPTH = 32;
const ORDINARY_WORD = /^[a-z]+(?:[-_.][a-z]+)*$/;
const SECRET_OPTION =
  /((?:^|\s)--?[\w-]{0,40}(?:secret|token|passw(?:or)?d|passphrase|credentials?|key)[\w-]{0,40}(?:=|\s+))(?:"[^"]*"|'[^']*'|\S+)/gi;

/** The tier in the runtime contract decides; a key that is not in a repository's own contract is hidden. */
export function redactVariable(contract: RuntimeContract, name: string, value: string, scrub: Scrub): string {
  if (value === "") return value;
  const spec = specOf(contract, name);
  if (spec) {
    const isHidden = spec.tier === "never-exposed" || hasCredentials(value) || outlivesGuess(spec, value);
    return isHidden ? REDACTED : scrub(value);
  }
  return isOwnContract(contract) ? REDACTED : redactMember(name, value, scrub);
}

export function findSecrets(contract: RuntimeContract, variables: Iterable<readonly [string, string]>): string[] {
  return [...variables].flatMap(([name, value]) => {
    const spec = specOf(contract, name);
    const members = spec ? [[name, value] as const] : listMembers(name, value);
    return members.flatMap(([member, text]) => {
      const isHidden = spec
        ? (spec.tier === "never-exposed" && spec.kind !== "integer") || outlivesGuess(spec, text)
        : isSecretVariable(member, text);
      const isDistinctive = CERTAIN_SECRET_NAME.test(member) || !ORDINARY_WORD.test(text);
      return [...(isHidden && isDistinctive ? [text] : []), ...findPasswords(text)];
    });
  });
}

export function createScrub(secrets: Iterable<string>): Scrub {
  const spellings = secretSpellings(secrets);
  // One pattern is as fast for fifty secrets as for one.
  const pattern = spellings.length === 0 ? undefined : new RegExp(spellings.map(escapeRegExp).join("|"), "g");
  return (text) => {
    const redacted = pattern ? text.replaceAll(pattern, REDACTED) : text;
    return maskCredentials(redacted).replaceAll(SECRET_OPTION, `$1${REDACTED}`);
  };
}

/** Longest first. */
export function secretSpellings(secrets: Iterable<string>): string[] {
  const spellings = [...secrets].flatMap((secret) => [secret, ...secret.split(/\r?\n/), ...encodedSpellings(secret)]);
  return [...new Set(spellings)]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH && secret !== REDACTED)
    .toSorted((a, b) => b.length - a.length);
}

function redactMember(name: string, value: string, scrub: Scrub, depth = 0): string {
  if (value === "") return value;
  if (isSecretName(name)) return REDACTED;
  const json = parseJsonObject(value);
  if (json !== undefined) return JSON.stringify(redactJson(name, json, scrub, depth));
  return isSecretValue(value) ? REDACTED : scrub(value);
}

function redactJson(name: string, value: unknown, scrub: Scrub, depth: number): unknown {
  if (value === null) return value;
  if (isSecretName(name) || depth > MAX_DEPTH) return REDACTED;
  if (typeof value === "string") return redactMember(name, value, scrub, depth + 1);
  if (Array.isArray(value)) return value.map((item) => redactJson(name, item, scrub, depth + 1));
  if (typeof value !== "object") return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, member]) => [scrub(key), redactJson(key, member, scrub, depth + 1)]));
}

function listMembers(name: string, value: unknown, depth = 0): (readonly [string, string])[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === "string") {
    const json = parseJsonObject(value);
    return json === undefined ? [[name, value]] : listMembers(name, json, depth + 1);
  }
  if (typeof value !== "object" || value === null) return [[name, String(value)]];
  if (Array.isArray(value)) return value.flatMap((item) => listMembers(name, item, depth + 1));
  const nameOf = (key: string): string => (isSecretName(name) ? name : key);
  return Object.entries(value).flatMap(([key, member]) => listMembers(nameOf(key), member, depth + 1));
}

function parseJsonObject(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

function findPasswords(value: string): string[] {
  return [...value.matchAll(/:\/\/[^\s/:@]*:([^\s@/]+)@/g)].map(([, password = ""]) => password);
}

/** A text as programs also write it: in JSON, in a URL or a form, in Node's own output, in base64 and in hex. */
function encodedSpellings(text: string): string[] {
  const json = inJson(text);
  const url = encodeURIComponent(text.toWellFormed());
  const form = url.replaceAll("%20", "+").replaceAll(/[!'()~]/g, (mark) => `%${hexOf(mark).toUpperCase()}`);
  const bytes = new TextEncoder().encode(text);
  const hex = hexOf(bytes);
  return [
    json,
    inJson(json),
    inspected(json),
    url,
    form,
    ...[url, form].map((one) => one.replaceAll(/%../g, (byte) => byte.toLowerCase())),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((before) => inBase64(bytes, before)),
  ];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** `console.log` of an object quotes with the mark that the text does not have. With all three, it escapes `'`. */
function inspected(json: string): string {
  const text = json.replaceAll(String.raw`\"`, '"');
  return ['"', "'", "`"].every((mark) => text.includes(mark)) ? text.replaceAll("'", String.raw`\'`) : text;
}

function hexOf(value: string | Uint8Array): string {
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Base64 writes three bytes as four characters, so the same bytes look different behind others, such as in `user:secret`.
 * Characters that also depend on the neighbours are left out.
 */
function inBase64(bytes: Uint8Array, before: number): string[] {
  const padded = Uint8Array.from([...new Uint8Array(before), ...bytes]);
  const text = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join(""));
  const own = text.slice(Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6));
  return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
}
