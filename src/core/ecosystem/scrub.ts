import { maskCredentials, REDACTED } from "../env/redact.ts";
import { isSecretName } from "../env/secret-name.ts";
import { specOf, tierOf } from "../env/tiers.ts";
import type { RuntimeContract } from "../facts/schema.ts";

/** Takes every known secret, and every credential that shows as one, out of a text. */
export type Scrub = (text: string) => string;

/** Shorter ones stand in ordinary words. */
const SHORTEST = 6;
/** What is named like this is one, even where its value is an ordinary word. */
const CERTAIN =
  /SECRET|TOKEN|PASSW|PASSPHRASE|PWD|CREDENTIAL|PRIVATE|(?:API|ACCESS|SIGNING|ENCRYPTION)_?KEY|BEARER|JWT/i;
const ORDINARY = /^[a-z]+(?:[-_.][a-z]+)*$/;
/** `--db-password x`, `--token=x`. */
const SECRET_OPTION =
  /((?:^|\s)--?[\w-]{0,40}(?:secret|token|passw(?:or)?d|passphrase|credentials?|key)[\w-]{0,40}(?:=|\s+))(?:"[^"]*"|'[^']*'|\S+)/gi;
const TOKEN_SHAPE =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|\b(?:gh[pousr]_|github_pat_|sk_live_|xox[abprs]-|AKIA)\w{10,}/;

/** Whether a variable is hidden whatever its value: the contract's tiers first, then what its name says. */
export function isHiddenVariable(contract: RuntimeContract, name: string): boolean {
  if (specOf(contract, name)) return tierOf(contract, name) === "never-exposed";
  return isSecretName(name);
}

/** A variable's value as it may be shown. */
export function shownVariable(contract: RuntimeContract, name: string, value: string, scrub: Scrub): string {
  if (value === "") return value;
  const isHidden = isHiddenVariable(contract, name) || maskCredentials(value) !== value || TOKEN_SHAPE.test(value);
  return isHidden ? REDACTED : scrub(value);
}

/** The secrets that hidden variables hold: their values, and the passwords within. */
export function secretsOf(contract: RuntimeContract, variables: Iterable<readonly [string, string]>): string[] {
  return [...variables].flatMap(([name, value]) => {
    const isNumber = specOf(contract, name)?.kind === "integer";
    const isSecret = isHiddenVariable(contract, name) && !isNumber && (CERTAIN.test(name) || !ORDINARY.test(value));
    return [...(isSecret ? [value] : []), ...passwordsOf(value)];
  });
}

/** A scrub that knows these secrets. What is too short to be told from ordinary text is left. */
export function scrubOf(secrets: Iterable<string>): Scrub {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST && secret !== REDACTED)
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    const without = known.reduce((rest, secret) => rest.replaceAll(secret, () => REDACTED), text);
    const masked = maskCredentials(without).replaceAll(SECRET_OPTION, `$1${REDACTED}`);
    return TOKEN_SHAPE.test(masked) ? REDACTED : masked;
  };
}

function passwordsOf(value: string): string[] {
  return [...value.matchAll(/:\/\/[^\s/:@]*:([^\s@/]+)@/g)].map(([, password = ""]) => password);
}
