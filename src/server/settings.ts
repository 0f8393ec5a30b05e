import { AUTH_TOKEN, DEFAULT_HOST, DEFAULT_PORT, HOST, PORT } from "../core/api/service-settings.ts";
import { SvcmError } from "../core/index.ts";
import { MAX_PORT } from "../core/words/port.ts";
import { canonicalHost } from "./host.ts";
import { PUBLIC_URL, readPublicUrl, type PublicUrl } from "./public-url.ts";

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

interface Asked {
  readonly host?: string | undefined;
  readonly port?: string | number | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Options override variables. @throws {SvcmError} INVALID_REQUEST for a port, START_REFUSED for other settings */
export function readSettings(env: Variables, asked: Asked = {}): Settings {
  return {
    host: (asked.host ?? env[HOST])?.trim() || DEFAULT_HOST,
    port: readPort(String(asked.port ?? env[PORT] ?? "").trim()),
    token: env[AUTH_TOKEN],
    allowedHosts: names(env[ALLOWED_HOSTS]).map(readAllowedHost),
    publicUrl: readPublicUrl(env[PUBLIC_URL]?.trim() ?? ""),
    logLevel: readLogLevel(env[LOG_LEVEL]?.trim().toLowerCase() || DEFAULT_LOG_LEVEL),
    logForm: readLogForm(env[LOG]),
  };
}

function readPort(given: string): number {
  if (given === "") return DEFAULT_PORT;
  const port = Number(given);
  if (/^\d{1,5}$/.test(given) && port <= MAX_PORT) return port;
  throw new SvcmError("INVALID_REQUEST", {
    details: `--port or ${PORT}: ${JSON.stringify(given.slice(0, 40))} is not a port. Accepted: an integer from 0 to ${MAX_PORT}; 0 takes a free one.`,
  });
}

function names(list = ""): string[] {
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

function readLogLevel(given: string): LogLevel {
  const level = logLevels.find((name) => name === given);
  if (level !== undefined) return level;
  throw new SvcmError("START_REFUSED", {
    details: `${LOG_LEVEL}: unknown level ${JSON.stringify(given.slice(0, 40))}. Accepted: ${logLevels.join(", ")}.`,
  });
}

function readLogForm(set = ""): LogForm | undefined {
  const given = set.trim().toLowerCase();
  const form = logForms.find((name) => name === given);
  if (form !== undefined || given === "") return form;
  throw new SvcmError("START_REFUSED", {
    details: `${LOG}: unknown form ${JSON.stringify(given.slice(0, 40))}. Accepted: ${logForms.join(", ")}.`,
  });
}
