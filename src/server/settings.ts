import { AUTH_TOKEN, DEFAULT_HOST, DEFAULT_PORT, HOST, PORT } from "../core/api/names.ts";
import { SvcmError } from "../core/index.ts";
import { MAX_PORT } from "../core/words/numbers.ts";
import { canonicalHost, PUBLIC_URL, readPublicUrl, type PublicUrl } from "./host.ts";

export { AUTH_TOKEN, HOST, PORT };
export const ALLOWED_HOSTS = "SVC_SERVICE_MANAGEMENT_ALLOWED_HOSTS";
export const LOG = "SVC_SERVICE_MANAGEMENT_LOG";
export const LOG_LEVEL = "SVC_SERVICE_MANAGEMENT_LOG_LEVEL";

const DEFAULT_LOG_LEVEL = "info";

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

const logForms = ["text", "json"] as const;
export type LogForm = (typeof logForms)[number];

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** As set, even if blank; `requireToken` decides if it is acceptable for the address. */
  readonly token: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly publicUrl: PublicUrl | undefined;
  readonly logLevel: LogLevel;
  readonly logForm: LogForm | undefined;
}

interface Overrides {
  readonly host?: string | undefined;
  readonly port?: string | number | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Options override variables. @throws {SvcmError} INVALID_REQUEST for a port, START_REFUSED for other settings */
export function readSettings(env: Variables, overrides: Overrides = {}): Settings {
  return {
    host: (overrides.host ?? env[HOST])?.trim() || DEFAULT_HOST,
    port: readPort(String(overrides.port ?? env[PORT] ?? "").trim()),
    token: env[AUTH_TOKEN],
    allowedHosts: splitList(env[ALLOWED_HOSTS]).map(readAllowedHost),
    publicUrl: readPublicUrl(env[PUBLIC_URL]?.trim() ?? ""),
    logLevel: readChoice(LOG_LEVEL, "level", logLevels, env[LOG_LEVEL]) ?? DEFAULT_LOG_LEVEL,
    logForm: readChoice(LOG, "form", logForms, env[LOG]),
  };
}

function readPort(value: string): number {
  if (value === "") return DEFAULT_PORT;
  const port = Number(value);
  if (/^\d{1,5}$/.test(value) && port <= MAX_PORT) return port;
  throw new SvcmError("INVALID_REQUEST", {
    details: `--port or ${PORT}: ${JSON.stringify(value.slice(0, 40))} is not a port. Accepted: an integer from 0 to ${MAX_PORT}; 0 takes a free one.`,
  });
}

function splitList(list = ""): string[] {
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function readAllowedHost(name: string): string {
  const host = canonicalHost(name.includes(":") && !name.startsWith("[") ? `[${name}]` : name);
  if (host !== undefined) return host;
  throw new SvcmError("START_REFUSED", {
    details: `${ALLOWED_HOSTS}: ${JSON.stringify(name.slice(0, 80))} is not a host name. Accepted: names or addresses without scheme and port, separated by commas.`,
  });
}

/** @returns undefined for an empty value */
function readChoice<T extends string>(
  variable: string,
  kind: string,
  accepted: readonly T[],
  value = "",
): T | undefined {
  const name = value.trim().toLowerCase();
  const choice = accepted.find((one) => one === name);
  if (choice !== undefined || name === "") return choice;
  throw new SvcmError("START_REFUSED", {
    details: `${variable}: unknown ${kind} ${JSON.stringify(name.slice(0, 40))}. Accepted: ${accepted.join(", ")}.`,
  });
}
