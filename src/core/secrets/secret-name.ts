/** A secret anywhere in a name, even without a separator. */
const ANYWHERE =
  /SECRET|TOKEN(?!I[SZ][EIA])|PASSW|PASSPHRASE|PASSCODE|CREDENTIAL|BEARER|JWT|COOKIE|WEBHOOK|CERTIFICATE|MNEMONIC|CONNECTIONSTRING|SERVICEROLE/;
/** A separate word, or joined to another one: `STRIPE_KEY`, `SIGNINGKEY`, `KEYRING`, `PGPASS`. */
const WORD =
  /(?:KEY|PASS|PWD|AUTH|SALT|DSN|CREDS?)$|^KEY(?:FILE|PAIR|PHRASE|RING|STORE|TAB|VAULT)|^(?:PRIVATE|AUTHORI[SZ]ATION|AUTHENTICATION)$/;
/** A secret only as the last word: `DB_PW`, `SEED_PHRASE`. */
const LAST_WORD = /^(?:PW|PIN|OTP|TOTP|SK|IV|SEED|PHRASE|PEPPER|SIG|SIGNATURE)$/;
const ORDINARY_WORD =
  /^(?:MONKEY|DONKEY|TURKEY|HOCKEY|JOCKEY|WHISKEY|LACKEY|HOTKEY|COMPASS|BYPASS|SURPASS|TRESPASS|OVERPASS|UNDERPASS|BASALT)$/;
/** These describe a secret but do not contain it: `JWT_EXPIRES_IN`, `COOKIE_NAME`, `PUBLIC_KEY`. */
const DESCRIPTION =
  / (?:AGE|ALG|ALGORITHMS?|ATTEMPTS?|AUDIENCE|COUNT|DAYS?|DOMAIN|DRIVER|DURATION|ENABLED|DISABLED|EXPIRATION|EXPIRES?|EXPIRES IN|EXPIRY|HEADER|HOST|HOURS?|ISSUER|LENGTH|LIFETIME|LIMIT|MAX|MAX(?: [A-Z]+)? TOKENS|METHOD|MIN|MINUTES?|MODE|MS|NAME|PERCENTAGE|PREFIX|PROVIDER|REALM|REQUIRED|ROUNDS|SAMESITE|SCHEME|SCOPES?|SECONDS?|SIZE|STRATEGY|TIMEOUT|TOLERANCE|TTL|TYPE|VERSION|(?:PUBLIC|PUBLISHABLE|SITE) KEY|AUTH URL|CLIENT ID|REDIRECT UR[IL]|TOKEN ADDRESS)$/;
const SWITCH = /^(?:SVC )?(?:ENABLE|DISABLE|IS|HAS) /;
const HARMLESS = new Set(["PWD", "OLDPWD"]);
/** A longer text is not a name. */
const MAX_NAME_LENGTH = 1000;

/** `DB_PASSWORD`, `apiKey`, `X-Auth-Token`, `AUTHTOKEN`; in doubt, true. `JWT_ISSUER` and `MONKEY` do not count. */
export function isSecretName(name: string): boolean {
  if (HARMLESS.has(name)) return false;
  const words = splitWords(name);
  const isSecret = ANYWHERE.test(words.join("")) || words.some(isSecretWord) || LAST_WORD.test(words.at(-1) ?? "");
  const phrase = words.join(" ");
  return isSecret && !SWITCH.test(phrase) && !DESCRIPTION.test(` ${phrase}`);
}

/** `dbPassword2` and `DB-PASSWORD_2` are `DB`, `PASSWORD`. */
export function splitWords(name: string): string[] {
  const separated = name
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2");
  return separated.toUpperCase().match(/\p{L}+/gu) ?? [];
}

function isSecretWord(word: string): boolean {
  const singular = word.replace(/(?<!S)S$/, "");
  return WORD.test(singular) && !ORDINARY_WORD.test(singular);
}
