import { isOwnContract } from "../facts/own-contract.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { hasCredentials, maskCredentials, REDACTED } from "../secrets/redact.ts";
import { isSecretName } from "../secrets/secret-name.ts";
import { isSecretValue, isSecretVariable } from "../secrets/secret-value.ts";
import { escapeRegExp } from "../words/escape-reg-exp.ts";
import { specOf, tierOf } from "../env/tiers.ts";

export type Scrub = (text: string) => string;

const SHORTEST = 6;
/** Secret even if the value is an ordinary word. */
const CERTAIN =
  /SECRET|TOKEN|PASSW|PASSPHRASE|PWD|CREDENTIAL|PRIVATE|(?:API|ACCESS|SIGNING|ENCRYPTION)_?KEY|BEARER|JWT/i;
const DEEPEST = 32;
const ORDINARY = /^[a-z]+(?:[-_.][a-z]+)*$/;
/** `--db-password x`, `--token=x`. */
const SECRET_OPTION =
  /((?:^|\s)--?[\w-]{0,40}(?:secret|token|passw(?:or)?d|passphrase|credentials?|key)[\w-]{0,40}(?:=|\s+))(?:"[^"]*"|'[^']*'|\S+)/gi;

/** The tier in the runtime contract decides; a key that is not in a repository's own contract is hidden. */
export function shownVariable(contract: RuntimeContract, name: string, value: string, scrub: Scrub): string {
  if (value === "") return value;
  if (specOf(contract, name)) {
    return tierOf(contract, name) === "never-exposed" || hasCredentials(value) ? REDACTED : scrub(value);
  }
  return isOwnContract(contract) ? REDACTED : shownMember(name, value, scrub);
}

/** Includes the members of JSON values, and passwords inside. */
export function secretsOf(contract: RuntimeContract, variables: Iterable<readonly [string, string]>): string[] {
  return [...variables].flatMap(([name, value]) => {
    const spec = specOf(contract, name);
    const members = spec ? [[name, value] as const] : membersOf(name, value);
    return members.flatMap(([member, text]) => {
      const isHidden = spec ? spec.tier === "never-exposed" && spec.kind !== "integer" : isSecretVariable(member, text);
      const isTelling = CERTAIN.test(member) || !ORDINARY.test(text);
      return [...(isHidden && isTelling ? [text] : []), ...passwordsOf(text)];
    });
  });
}

export function scrubOf(secrets: Iterable<string>): Scrub {
  const known = spellingsOf(secrets);
  // One pattern is as fast for fifty secrets as for one.
  const pattern = known.length === 0 ? undefined : new RegExp(known.map(escapeRegExp).join("|"), "g");
  return (text) => {
    const without = pattern ? text.replaceAll(pattern, REDACTED) : text;
    return maskCredentials(without).replaceAll(SECRET_OPTION, `$1${REDACTED}`);
  };
}

/** Unchanged, line by line, in JSON and in a URL. Longest first. */
export function spellingsOf(secrets: Iterable<string>): string[] {
  const spelled = [...secrets].flatMap((secret) => [
    secret,
    ...secret.split(/\r?\n/),
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
  ]);
  return [...new Set(spelled)]
    .filter((secret) => secret.length >= SHORTEST && secret !== REDACTED)
    .toSorted((a, b) => b.length - a.length);
}

function shownMember(name: string, value: string, scrub: Scrub, depth = 0): string {
  if (value === "") return value;
  if (isSecretName(name)) return REDACTED;
  const json = jsonIn(value);
  if (json !== undefined) return JSON.stringify(shownJson(name, json, scrub, depth));
  return isSecretValue(value) ? REDACTED : scrub(value);
}

function shownJson(name: string, value: unknown, scrub: Scrub, depth: number): unknown {
  if (value === null) return value;
  if (isSecretName(name) || depth > DEEPEST) return REDACTED;
  if (typeof value === "string") return shownMember(name, value, scrub, depth + 1);
  if (Array.isArray(value)) return value.map((item) => shownJson(name, item, scrub, depth + 1));
  if (typeof value !== "object") return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, member]) => [scrub(key), shownJson(key, member, scrub, depth + 1)]));
}

function membersOf(name: string, value: unknown, depth = 0): (readonly [string, string])[] {
  if (depth > DEEPEST) return [];
  if (typeof value === "string") {
    const json = jsonIn(value);
    return json === undefined ? [[name, value]] : membersOf(name, json, depth + 1);
  }
  if (typeof value !== "object" || value === null) return [[name, String(value)]];
  if (Array.isArray(value)) return value.flatMap((item) => membersOf(name, item, depth + 1));
  // Below a secret name, every member is secret.
  const nameOf = (key: string): string => (isSecretName(name) ? name : key);
  return Object.entries(value).flatMap(([key, member]) => membersOf(nameOf(key), member, depth + 1));
}

function jsonIn(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

function passwordsOf(value: string): string[] {
  return [...value.matchAll(/:\/\/[^\s/:@]*:([^\s@/]+)@/g)].map(([, password = ""]) => password);
}
