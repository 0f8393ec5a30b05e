import { forms } from "../../env/forms.ts";
import type { FormKind } from "../../facts/schema.ts";
import { hasCredentials } from "../../secrets/redact.ts";
import { isSecretName, wordsOf } from "../../secrets/secret-name.ts";
import { isPlaceholder, isSecretValue } from "../../secrets/secret-value.ts";

/** What is proposed for a key. `why` holds no part of a value. */
export interface Verdict {
  readonly verdict: "open" | "secret" | "connection" | "undecided";
  /** Of an open key. */
  readonly kind: FormKind;
  readonly why: string;
}

const PUBLIC_PREFIX = /^(?:NEXT_PUBLIC|VITE|EXPO_PUBLIC|REACT_APP|NUXT_PUBLIC|GATSBY|PUBLIC|VUE_APP|NG_APP|STORYBOOK)_/;
const STORE =
  /^(?:DATABASE|DATABASES|DB|POSTGRES|POSTGRESQL|PG|MYSQL|MARIADB|MONGO|MONGODB|REDIS|VALKEY|RABBIT|RABBITMQ|AMQP|KAFKA|NATS|ELASTIC|ELASTICSEARCH|CLICKHOUSE|SMTP|CACHE|QUEUE|BROKER|SHADOW|DIRECT|PRISMA|TURSO|SUPABASE)$/;
const SWITCH = /^(?:ENABLE|ENABLED|DISABLE|DISABLED|USE|IS|HAS|ALLOW|SKIP|SHOULD|FORCE)$/;
/** In doubt: these may hold a key in their path, or name one. */
const DOUBTFUL = /(?:^| )(?:KEY ID|SID|AK|ANON KEY|KEY FILE|KEYFILE|KEY PATH|RPC|RPC URL|RPC ENDPOINT|DSN|NODE URL)$/;
const OPEN_KEY = /(?:^| )(?:PUBLIC|PUBLISHABLE|SITE) KEY$/;
/** The last word of a name whose value says where, how much or how, not what for. */
const HARMLESS = new Set(
  "HOST HOSTNAME PORT PORTS REGION ZONE BUCKET NAME NAMES LEVEL MODE VERSION ENV ENVIRONMENT TIMEOUT INTERVAL LIMIT MAX MIN SIZE COUNT INSTANCES WORKERS CONCURRENCY RETRIES DAYS HOURS MINUTES SECONDS MS TTL EXPIRY EXPIRATION EXPIRES PATH DIR DIRECTORY FOLDER FILE FORMAT TYPE DRIVER ADAPTER PROVIDER PREFIX SUFFIX PREFETCH DOMAIN ORIGIN ORIGINS LOCALE LANG LANGUAGE TIMEZONE TZ CURRENCY THEME TITLE DESCRIPTION EMAIL FROM TO SENDER SUBJECT TOPIC EXCHANGE CHANNEL GROUP SCHEMA DIALECT DATABASE DB COLLECTION TABLE INDEX MODEL NETWORK CHAIN CLUSTER ISSUER AUDIENCE SCOPE SCOPES ROUNDS CRON SCHEDULE PROTOCOL BRANCH COMMIT STAGE DEBUG VERBOSE DATE BASE COLOR SSL TLS URL URI ENDPOINT SERVER ADDRESS".split(
    " ",
  ),
);

/** The kinds that a value is tried against, the narrowest first. */
const KINDS: readonly FormKind[] = ["boolean", "number", "url", "email", "cron", "duration", "size", "json"];

/**
 * Proposes what a key is, from its name and the values that it was seen with. Values are looked at and not kept.
 * Nothing proposed is editable; in doubt, a key is kept back.
 */
export function classify(name: string, seen: readonly string[]): Verdict {
  const values = seen.filter((value) => !isPlaceholder(value));
  const words = wordsOf(name);
  const phrase = words.join(" ");
  const is = (verdict: Verdict["verdict"], why: string): Verdict => ({ verdict, kind: kindOf(name, values), why });
  if (values.some((value) => value.includes("://") && hasCredentials(value)))
    return is("connection", "its value is a URL with a password or key");
  if (values.some(isSecretValue)) return is("secret", "its value looks like a secret");
  const isSecretly = isSecretName(name);
  if (PUBLIC_PREFIX.test(name)) {
    return isSecretly && !OPEN_KEY.test(phrase)
      ? is("undecided", "its name says both public and secret")
      : is("open", "its prefix says that browsers see it");
  }
  const last = words.at(-1) ?? "";
  const isAddress = /^(?:URL|URI|DSN|STRING|ADDRESS|ENDPOINT)$/.test(last);
  if (/WEBHOOK/.test(phrase) && isAddress) return is("secret", "webhook addresses hold a key");
  if (/^(?:URL|URI|STRING)$/.test(last) && words.some((word) => STORE.test(word)))
    return is("connection", "it is named like a connection");
  if (DOUBTFUL.test(phrase)) return is("undecided", doubtOf(phrase));
  if (OPEN_KEY.test(phrase)) return is("open", "its name says that it is public");
  const isSwitch = values.length > 0 && values.every((value) => /^(?:true|false)$/i.test(value));
  if (isSwitch || (words.some((word) => SWITCH.test(word)) && values.every((value) => forms.boolean.matches(value))))
    return is("open", "it is a switch");
  if (isSecretly) return is("secret", "it is named like a secret");
  const kind = kindOf(name, values);
  if (values.length > 0 && kind !== "text" && kind !== "json") return is("open", `its value is ${articleOf(kind)}`);
  if (HARMLESS.has(last) || name === "NODE_ENV") return is("open", "its name says that it is configuration");
  return is("undecided", "neither its name nor its value says what it is");
}

function doubtOf(phrase: string): string {
  return /RPC|NODE URL|DSN/.test(phrase)
    ? "such addresses often carry a key in their path"
    : "it may name a key or be one";
}

function articleOf(kind: FormKind): string {
  if (kind === "url") return "a URL without a key";
  if (kind === "email") return "an email address";
  if (kind === "cron") return "a schedule";
  return `a ${kind}`;
}

/** The narrowest kind that accepts every value that was seen; `text` if there is none. */
function kindOf(name: string, values: readonly string[]): FormKind {
  const isPort = /(?:^|_)PORT$/i.test(name);
  const fits = (kind: FormKind): boolean => values.every((value) => forms[kind].matches(value));
  if (isPort && fits("port")) return "port";
  if (values.length === 0) return "text";
  if (values.every((value) => /^[01]$/.test(value))) return "number";
  return KINDS.find(fits) ?? (values.every((value) => /^(?:\.{0,2}\/|~\/)[^\s:]*$/.test(value)) ? "path" : "text");
}
