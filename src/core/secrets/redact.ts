export const REDACTED = "[REDACTED]";

/** Separate from the tokens, because a plain search finds its words much faster than a pattern does. */
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[\s\S]*?-----END [A-Z ]{0,40}PRIVATE KEY-----|[\s\S]*)/g;
/** Tokens of a known form, and webhook URLs, which work like a secret. One `\b` for all of them halves the time. */
export const TOKENS = new RegExp(
  `\\b(?:${[
    /eyJ[\w-]{8,300}\.[\w-]{8,}(?:\.[\w-]*)?/,
    /(?:[sr]k_(?:live|test)_|whsec_|gh[pousr]_|github_pat_|npm_)\w{10,}/,
    /(?:xox[abeprs]-|glpat-|sk-)[\w-]{16,}/,
    /SG\.[\w-]{16,40}\.[\w-]{16,}/,
    /(?:AKIA|ASIA)[A-Z\d]{16}\b/,
    /AIza[\w-]{35}/,
    /dp\.(?:st|pt|ct|sa|scim|audit)\.[\w.-]{20,}/,
    /0x[\da-fA-F]{64}\b/,
    /(?:hooks\.(?:slack|zapier)\.com|discord(?:app)?\.com\/api\/webhooks|webhook\.office\.com|outlook\.office(?:365)?\.com\/webhook|chat\.googleapis\.com\/v1\/spaces|open\.feishu\.cn\/open-apis\/bot|oapi\.dingtalk\.com|api\.telegram\.org)\/[^\s"']+/,
  ]
    .map(({ source }) => source)
    .join("|")})`,
  "g",
);
/** Every token matches this and most values do not. Compiling all patterns takes 1 ms of a short command. */
const TOKEN_LIKE = /[\w.-]{10}/;

/**
 * `redis://u:p@h` becomes `redis://[REDACTED]@h`. The mask covers everything up to the last `@` of a word, because a
 * password may contain `/`, `?` or `@`. It also covers parameters with a secret name, tokens and private keys.
 */
export function maskCredentials(text: string): string {
  const masked = TOKEN_LIKE.test(text) ? maskPrivateKeys(text).replaceAll(TOKENS, REDACTED) : text;
  // Most log lines contain neither.
  const named = masked.includes("@") ? masked.replaceAll(/\S+/g, maskUserinfo) : masked;
  if (!named.includes("=")) return named;
  return named.replaceAll(/([?&#])([\w.-]{1,60})=([^&#\s]+)/g, (parameter: string, mark: string, name: string) =>
    isSecretName(name) ? `${mark}${name}=${REDACTED}` : parameter,
  );
}

function maskPrivateKeys(text: string): string {
  return text.includes("PRIVATE KEY-----") ? text.replaceAll(PRIVATE_KEY, REDACTED) : text;
}

/** A line may have its end, which `$` would not match. */
const SECRET_MEMBER =
  /((?:password|passwd|secret|token|credential|webhook|heartbeat|(?:api|access|private|signing)[-_]?key)s?["']?\s{0,20}[:=]\s{0,20})\S.*/i;

/** Also hides the values of members with a secret name. */
export function maskSource(line: string): string {
  return maskCredentials(line.replace(SECRET_MEMBER, `$1${REDACTED}`));
}

const BEARER = /\b(bearer\s+|authorization["']?\s{0,20}[:=]\s{0,20}["']?\w{1,20}\s+)[\w.~+/=-]{8,}/gi;
const SECRET_ASSIGNMENT =
  /((?:password|passwd|passphrase|secret|token|credentials?|(?:api|access|private|signing)[-_]?key)\\?["']?\s{0,20}[:=]\s{0,20})(\\"[^"\\]*(?:\\")?|"(?:[^"\\]|\\.)*"?|'[^']*'?|\[REDACTED\][^\s,;&})\]]*|[^\s,;&})\]]+)/gi;

/** For a log line. Unlike {@link maskSource}, it keeps the rest of the line. */
export function maskLogLine(line: string): string {
  return line
    .replaceAll(BEARER, `$1${REDACTED}`)
    .replaceAll(SECRET_ASSIGNMENT, (_all, name: string, value: string) => `${name}${redactQuoted(value)}`);
}

function redactQuoted(value: string): string {
  const quote = /^\\?["']/.exec(value)?.[0] ?? "";
  return `${quote}${REDACTED}${quote}`;
}

function maskUserinfo(word: string): string {
  const at = word.lastIndexOf("@");
  const start = at === -1 ? null : /[a-z0-9]:[/\\]+/i.exec(word);
  const from = start ? start.index + start[0].length : Infinity;
  return from <= at ? `${word.slice(0, from)}${REDACTED}${word.slice(at)}` : word;
}

export function hasCredentials(text: string): boolean {
  return maskCredentials(text) !== text;
}

/** Prints itself as `[REDACTED]`; only `reveal` returns the value. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Keep it out of logs and responses. */
  reveal(): string {
    return this.#value;
  }

  /** `[REDACTED]`, so that a template or a log cannot show the value. */
  toString(): string {
    return REDACTED;
  }

  /** `[REDACTED]`, so that `JSON.stringify` cannot show the value. */
  toJSON(): string {
    return REDACTED;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}

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

const PLACEHOLDER =
  /^\s*(?:|<.*>|\$\{.*\}|x+|\*+|\.+|your[ _-].*|(?:change|replace|fill)[ _-]?(?:me|this|in).*|todo.*)$/is;

const MIN_RANDOM_LENGTH = 24;
/** In a URL, little else is long, so the limit is lower. */
const MIN_RANDOM_LENGTH_IN_URL = 20;
/** The share of neighbouring characters that change between digits, capitals and small letters. */
const MIN_CHANGE_SHARE = 0.2;
/** Higher without digits, because words in camel case also change. */
const MIN_CHANGE_SHARE_OF_LETTERS = 0.3;

/** True for `<token>`, `changeme`, `your-key` and empty text. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value);
}

/** By its form: credentials, a known token, a private key, or random-looking text. */
export function isSecretValue(value: string): boolean {
  if (isPlaceholder(value)) return false;
  return hasCredentials(value) || hasRandomPart(value);
}

/** For variables that no contract lists. */
export function isSecretVariable(name: string, value: string): boolean {
  return value !== "" && (isSecretName(name) || isSecretValue(value));
}

function hasRandomPart(value: string): boolean {
  const shortest = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? MIN_RANDOM_LENGTH_IN_URL : MIN_RANDOM_LENGTH;
  // A slash separates the parts of a URL, but is also a character of base64.
  const parts = [...value.split(/[^\w+=~-]+/), ...value.split(/[^\w+/=~-]+/)];
  return parts.some((part) => part.length >= shortest && looksRandom(part));
}

function looksRandom(text: string): boolean {
  const letters = text.replaceAll(/[^A-Za-z\d]/g, "");
  const kinds = Array.from(letters, characterKind);
  // A capital may begin a word, so the small letter after it does not count as a change.
  const changes = kinds.filter((kind, index) => {
    const before = kinds[index - 1];
    return before !== undefined && kind !== before && !(before === "capital" && kind === "small");
  });
  const share = changes.length / Math.max(letters.length - 1, 1);
  return share >= (kinds.includes("digit") ? MIN_CHANGE_SHARE : MIN_CHANGE_SHARE_OF_LETTERS);
}

function characterKind(letter: string): "digit" | "capital" | "small" {
  if (letter <= "9") return "digit";
  return letter <= "Z" ? "capital" : "small";
}

const PART = "(?:[A-Z\\d]+|[a-z\\d]+|[A-Za-z][a-z]+(?:[A-Z][a-z]+)*[A-Z]{0,4})";
const PLAIN = /* @__PURE__ */ new RegExp(`^(?!\\d)_*${PART}(?:[_.-]+${PART})*[_.-]*$`);

/**
 * True if a key may be shown. An unquoted line of a private key can look like a key, so a key must look like a name:
 * capitals, small letters or camel case between its separators.
 */
export function isPlainKey(key: string): boolean {
  return PLAIN.test(key) && !isSecretValue(key);
}
