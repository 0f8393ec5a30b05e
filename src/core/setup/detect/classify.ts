import { forms } from "../../env/runtime-keys.ts";
import type { FormKind } from "../../api/facts.ts";
import { hasCredentials, isPlaceholder, isSecretName, isSecretValue, splitWords } from "../../secrets/redact.ts";

/** `why` contains no part of a value. */
export interface Verdict {
  readonly verdict: "open" | "secret" | "connection" | "undecided";
  readonly kind: FormKind;
  readonly why: string;
}

const PUBLIC_PREFIX = /^(?:NEXT_PUBLIC|VITE|EXPO_PUBLIC|REACT_APP|NUXT_PUBLIC|GATSBY|PUBLIC|VUE_APP|NG_APP|STORYBOOK)_/;
const STORE =
  /^(?:DATABASE|DATABASES|DB|POSTGRES|POSTGRESQL|PG|MYSQL|MARIADB|MONGO|MONGODB|REDIS|VALKEY|RABBIT|RABBITMQ|AMQP|KAFKA|NATS|ELASTIC|ELASTICSEARCH|CLICKHOUSE|SMTP|CACHE|QUEUE|BROKER|SHADOW|DIRECT|PRISMA|TURSO)$/;
const SWITCH = /^(?:ENABLE|ENABLED|DISABLE|DISABLED|USE|IS|HAS|ALLOW|SKIP|SHOULD|FORCE)$/;
const DOUBTFUL =
  /(?:^| )(?:KEY ID|SID|AK|ANON KEY|KEY FILE|KEYFILE|KEY PATH|RPC|RPC ENDPOINT|DSN|NODE URL|SESSION ID)$|(?:^| )RPC URL(?: |$)/;
const ADDRESS = /^(?:URL|URI|DSN|STRING|ADDRESS|ENDPOINT)$/;
const CONNECTION = /^(?:URL|URI|STRING)$/;
const OPEN_KEY = /(?:^| )(?:PUBLIC|PUBLISHABLE|SITE) KEY$/;
/** The last word of a name whose value is a place, an amount or a choice. */
const HARMLESS = new RegExp(
  "^(?:" +
    "HOSTS?|HOSTNAME|PORTS?|REGION|ZONE|BUCKET|NAMES?|LEVEL|MODE|VERSION|ENV|ENVIRONMENT|TIMEOUT" +
    "|INTERVAL|LIMIT|AGE|TOKENS|STRATEGY|MAX|MIN|SIZE|COUNT|INSTANCES|WORKERS|CONCURRENCY|RETRIES|DAYS|HOURS" +
    "|MINUTES|SECONDS|SEC|MS|TTL|EXPIRY|EXPIRATION|EXPIRES?|PATHS?|DIR|DIRECTORY|FOLDER|FILES?|FORMAT|TYPES?|DRIVER" +
    "|ADAPTER|PROVIDER|PREFIX|PREFIXES|SUFFIX|PREFETCH|DOMAIN|ORIGINS?|LOCALE|LANG|LANGUAGE|TIMEZONE|TZ" +
    "|CURRENCY|CURRENCIES|THEME|TITLE|DESCRIPTION|EMAILS?|FROM|TO|SENDER|SUBJECT|TOPIC|EXCHANGE|CHANNEL|GROUP" +
    "|SCHEMA|DIALECT|DATABASE|DB|COLLECTION|TABLE|INDEX|MODEL|NETWORK|CHAIN|CLUSTER|ISSUER|AUDIENCES?" +
    "|SCOPES?|ROUNDS|ITERATIONS|CRON|SCHEDULE|PROTOCOL|SCHEME|BRANCH|COMMIT|SHA|STAGE|DEBUG|VERBOSE|DATE|BASE|COLOR|SSL" +
    "|TLS|SSLMODE|SECURE|SAMESITE|URL|URI|ENDPOINT|SERVER|ADDRESS|IDS?|USER|USERNAME|OWNER|ROLES?|PHONE|NUMBERS?" +
    "|PHONENUMBER|COUNTRY|TEMPLATE|SLUG|LABEL|PROFILE|ENGINE|SERVICE|MODULE|STORE|DISK|MAILER|OPTIONS|METHOD" +
    "|RATE|PCT|PERCENTAGE|AMOUNT|BYTES|PIXELS|WIDTH|HEIGHT|SCORE|CONFIDENCE|DISTANCE|BATCH|BLOCK|CONNECTIONS" +
    "|FILENAME|FILEPATH|WORKDIR|CWD|EXT|VENDOR|VARIANT|AGENT|BIND|DN|PROJECT|PAYER|TOLERANCE|SOCKET" +
    ")$",
);
const SETTING = /^(?:MAX|MIN|LOG|LOGGING|DEBUG|FEATURE|RATE|THROTTLE|LIMIT|DRY|TRUST|REQUIRE|INCLUDE|ENGINE|VERBOSE)$/;

const KINDS: readonly FormKind[] = ["boolean", "number", "url", "email", "cron", "duration", "size", "json"];

interface KeyFacts {
  readonly name: string;
  readonly values: readonly string[];
  readonly words: readonly string[];
  readonly phrase: string;
  readonly last: string;
  readonly kind: FormKind;
}

const secret = (why: string) => ({ verdict: "secret", why }) as const;
const open = (why: string) => ({ verdict: "open", why }) as const;
const undecided = (why: string) => ({ verdict: "undecided", why }) as const;
const connection = (why: string) => ({ verdict: "connection", why }) as const;

const rules: readonly ((seen: KeyFacts) => Pick<Verdict, "verdict" | "why"> | undefined)[] = [
  ({ values }) =>
    values.some((value) => value.includes("://") && hasCredentials(value))
      ? connection("its value is a URL with a password or key")
      : undefined,
  ({ last, values }) =>
    last === "ADDRESS" && values.length > 0 && values.every((value) => /^0x[\da-f]{40}$/i.test(value))
      ? open("its value is the address of an account")
      : undefined,
  ({ values }) => (values.some(isSecretValue) ? secret("its value looks like a secret") : undefined),
  ({ name }) => {
    if (!PUBLIC_PREFIX.test(name)) return undefined;
    return isPublicSecret(name)
      ? undecided("its name says both public and secret")
      : open("its prefix says that browsers see it");
  },
  ({ phrase, last }) =>
    phrase.includes("WEBHOOK") && ADDRESS.test(last) ? secret("webhook addresses hold a key") : undefined,
  ({ words, last }) =>
    CONNECTION.test(last) && words.some((word) => STORE.test(word))
      ? connection("it is named like a connection")
      : undefined,
  ({ phrase }) => (DOUBTFUL.test(phrase) ? undecided(explainDoubt(phrase)) : undefined),
  ({ phrase }) => (OPEN_KEY.test(phrase) ? open("its name says that it is public") : undefined),
  ({ words, values }) => (isSwitch(words, values) ? open("it is a switch") : undefined),
  ({ name }) => (isSecretName(name) ? secret("it is named like a secret") : undefined),
  ({ values, kind }) =>
    values.length > 0 && kind !== "text" && kind !== "json" ? open(`its value is ${describeKind(kind)}`) : undefined,
  ({ name, last, words }) =>
    HARMLESS.test(last) || words.some((word) => SETTING.test(word)) || name === "NODE_ENV"
      ? open("its name says that it is configuration")
      : undefined,
];

/** The reason of a guess that has no reason to hide the key, except that a key in doubt counts as a secret. */
export const NOTHING_KNOWN = "neither its name nor its value says what it is";

/** No proposal is editable; in doubt, the key stays hidden. Values are not stored. */
export function classify(name: string, observed: readonly string[]): Verdict {
  const values = observed.filter((value) => !isPlaceholder(value));
  const words = splitWords(name);
  const kind = narrowestKind(
    name,
    observed.filter((value) => value !== ""),
  );
  const facts = { name, values, words, phrase: words.join(" "), last: words.at(-1) ?? "", kind };
  for (const rule of rules) {
    const result = rule(facts);
    if (result?.verdict === "open" && isSecretName(name)) return { kind, ...undecided("its name says secret") };
    if (result) return { kind, ...result };
  }
  return { kind, ...undecided(NOTHING_KNOWN) };
}

export function isPublicSecret(name: string): boolean {
  return PUBLIC_PREFIX.test(name) && isSecretName(name) && !OPEN_KEY.test(splitWords(name).join(" "));
}

function isSwitch(words: readonly string[], values: readonly string[]): boolean {
  if (values.length > 0 && values.every((value) => /^(?:true|false)$/i.test(value))) return true;
  return words.some((word) => SWITCH.test(word)) && values.every((value) => forms.boolean.matches(value));
}

function explainDoubt(phrase: string): string {
  return /RPC|NODE URL|DSN/.test(phrase)
    ? "such addresses often carry a key in their path"
    : "it may name a key or be one";
}

function describeKind(kind: FormKind): string {
  if (kind === "url") return "a URL without a key";
  if (kind === "email") return "an email address";
  if (kind === "cron") return "a schedule";
  return `a ${kind}`;
}

function narrowestKind(name: string, values: readonly string[]): FormKind {
  const isPort = /(?:^|_)PORT$/i.test(name);
  const fits = (kind: FormKind): boolean => values.every((value) => forms[kind].matches(value));
  if (isPort && fits("port")) return "port";
  if (values.length === 0) return "text";
  if (values.every((value) => /^[01]$/.test(value))) return "number";
  return KINDS.find(fits) ?? (values.every((value) => /^(?:\.{0,2}\/|~\/)[^\s:]*$/.test(value)) ? "path" : "text");
}
