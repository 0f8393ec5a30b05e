import { existsSync } from "node:fs";
import { hasCredentials } from "../../secrets/redact.ts";
import { isSecretName } from "../../secrets/secret-name.ts";

export interface CleanEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** The secrets in the environment, as far as they are long enough to be found in a text. */
  readonly withheld: readonly string[];
  /** The variables that hold or contain a secret. */
  readonly withheldNames: ReadonlySet<string>;
}

/** Variables that change Node.js or configure svcm and its tests. */
const OURS = /^(?:NODE_(?!ENV$|PATH$|EXTRA_CA_CERTS$)|SVC_SERVICE_MANAGEMENT_|PM2_PROGRAMMATIC$|VITEST|SVCM_)/;

/** Shorter secrets may be part of ordinary words. */
const SHORTEST_SECRET = 6;

export function cleanEnvironment(env: Readonly<Record<string, string | undefined>>): CleanEnvironment {
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const secret = set.filter(isSecret).map(([, value]) => value);
  const withheld = secret.filter((value) => value.length >= SHORTEST_SECRET && !isPath(value));
  const isWithheld = ([name, value]: [string, string]): boolean =>
    isSecret([name, value]) || withheld.some((text) => value.includes(text));
  const withheldNames = new Set(set.filter(isWithheld).map(([name]) => name));
  const kept = set.filter(([name]) => !OURS.test(name) && !withheldNames.has(name));
  return { env: Object.fromEntries(kept), withheld, withheldNames };
}

/** A list of folders with an `@` looks like a URL with a user. */
function isSecret([name, value]: [string, string]): boolean {
  return isSecretName(name) || (!name.endsWith("PATH") && hasCredentials(value));
}

/** Paths are not secrets, and hiding them would mask half of every other path. */
function isPath(value: string): boolean {
  return value.startsWith("/") && existsSync(value);
}
