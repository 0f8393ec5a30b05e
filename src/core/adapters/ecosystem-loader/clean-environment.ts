import { existsSync } from "node:fs";
import { hasCredentials } from "../../secrets/redact.ts";
import { isSecretName } from "../../secrets/secret-name.ts";

/** The variables for a file's process, and the values that it does not get. */
export interface CleanEnvironment {
  readonly env: Readonly<Record<string, string>>;
  readonly withheld: readonly string[];
}

/** What changes how Node.js runs, or is about us. */
const OURS = /^(?:NODE_(?!ENV$|PATH$|EXTRA_CA_CERTS$)|SVC_SERVICE_MANAGEMENT_|PM2_PROGRAMMATIC$|VITEST|SVCM_)/;

/** Shorter ones stand in ordinary words. */
const SHORTEST_SECRET = 6;

/** Takes out what is ours, what is named like a secret, and every variable that repeats such a value. */
export function cleanEnvironment(env: Readonly<Record<string, string | undefined>>): CleanEnvironment {
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const secret = set.filter(isSecret).map(([, value]) => value);
  const withheld = secret.filter((value) => value.length >= SHORTEST_SECRET && !isPath(value));
  const isKept = ([name, value]: [string, string]): boolean =>
    !OURS.test(name) && !isSecret([name, value]) && !withheld.some((text) => value.includes(text));
  return { env: Object.fromEntries(set.filter(isKept)), withheld };
}

/** Folders one after another, of which one may have an `@` in it, look like a URL with a user. */
function isSecret([name, value]: [string, string]): boolean {
  return isSecretName(name) || (!name.endsWith("PATH") && hasCredentials(value));
}

/** Where something is, such as a socket, is no secret, and would take half of every path with it. */
function isPath(value: string): boolean {
  return value.startsWith("/") && existsSync(value);
}
