import { type SettingName, settingNames } from "../api/names.ts";
import { resolvePath } from "../project/resolve.ts";
import { type Fields, canonicalArguments, canonicalValue, firstValue } from "./normalise.ts";

/** Texts are digests, `null` is PM2's default. */
export type Settings = Readonly<Partial<Record<SettingName, string | number | boolean | null>>>;

export const LISTEN_TIMEOUT_MS = 3000;

/** For how long PM2 waits for a new process of an app. */
export function listenTimeoutMs({ listenTimeout }: Settings): number {
  return Number(listenTimeout ?? LISTEN_TIMEOUT_MS);
}

/** Of PM2, from the signal to the kill. */
export const KILL_TIMEOUT_MS = 1600;

interface Setting {
  /** The name in PM2's record and in an ecosystem file. */
  readonly field: string;
  readonly aliases?: readonly string[];
  /** Returns `undefined` for a value that cannot be compared. */
  readonly read: (value: unknown) => string | number | boolean | undefined;
  readonly defaultValue?: boolean;
  /** PM2's name, if different, for the absolute path that it derives for a log file. */
  readonly recordedField?: string;
}

const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  autorestart: { field: "autorestart", read: readBoolean, defaultValue: true },
  cronRestart: { field: "cron_restart", aliases: ["cron"], read: canonicalValue },
  errorFile: {
    field: "error_file",
    aliases: ["err_log", "err_file", "err", "error"],
    read: withoutProcessId,
    recordedField: "pm_err_log_path",
  },
  expBackoffRestartDelay: { field: "exp_backoff_restart_delay", read: readNumber },
  gid: { field: "gid", read: readNumber },
  killTimeout: { field: "kill_timeout", read: readNumber },
  listenTimeout: { field: "listen_timeout", read: readNumber },
  logDateFormat: { field: "log_date_format", read: canonicalValue },
  logFile: { field: "log_file", aliases: ["log"], read: withoutProcessId, recordedField: "pm_log_path" },
  maxMemoryRestart: { field: "max_memory_restart", read: unitReader({ K: 1024, M: 1024 ** 2, G: 1024 ** 3 }) },
  maxRestarts: { field: "max_restarts", read: readNumber },
  minUptime: { field: "min_uptime", read: unitReader({ s: 1000, m: 60_000, h: 3_600_000 }) },
  outFile: {
    field: "out_file",
    aliases: ["out_log", "output", "out"],
    read: withoutProcessId,
    recordedField: "pm_out_log_path",
  },
  restartDelay: { field: "restart_delay", read: readNumber },
  shutdownWithMessage: { field: "shutdown_with_message", read: readBoolean, defaultValue: false },
  stopExitCodes: { field: "stop_exit_codes", read: (value) => canonicalArguments([value].flat()) },
  treekill: { field: "treekill", read: readBoolean, defaultValue: true },
  // Only the machine that runs PM2 can resolve a user name to its number.
  uid: { field: "uid", aliases: ["user"], read: readNumber },
  waitReady: { field: "wait_ready", read: readBoolean, defaultValue: false },
};

type Digest = (value: string) => string;
type Value = string | number | boolean | null;

export function recordedSettings(record: Readonly<Record<string, unknown>>, digest: Digest): Settings {
  return collectSettings(({ recordedField, field }) => record[recordedField ?? field], digest);
}

export interface SettingContext {
  readonly name: string;
  readonly cwd: string;
  readonly pm2Home: string | undefined;
}

export function declaredSettings(fields: Fields, context: SettingContext, digest: Digest): Settings {
  const raw = ({ field, aliases = [] }: Setting): unknown => {
    const camel = field.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    // PM2 7 ignores a falsy value unless it has the last of the alternative names.
    return firstValue(fields, [field, ...aliases, camel]) ?? fields[camel];
  };
  const { gid, logDateFormat, uid } = SETTINGS;
  return collectSettings((setting) => {
    const value = raw(setting);
    if (setting === logDateFormat && fields["time"] === true) return "YYYY-MM-DDTHH:mm:ss";
    // PM2 looks up the group of the user.
    if (setting === gid && isAbsent(value) && !isAbsent(raw(uid))) return UNKNOWN;
    return setting.recordedField === undefined ? value : resolveLogPath(setting, value, context);
  }, digest);
}

const UNKNOWN = Symbol("not known here");

function collectSettings(valueOf: (setting: Setting) => unknown, digest: Digest): Settings {
  return Object.fromEntries(
    settingNames.flatMap((name): [SettingName, Value][] => {
      const setting = SETTINGS[name];
      const value = valueOf(setting);
      if (isAbsent(value)) return [[name, setting.defaultValue ?? null]];
      const comparable = value === UNKNOWN ? undefined : setting.read(value);
      if (comparable === undefined) return [];
      return [[name, typeof comparable === "string" ? digest(comparable) : comparable]];
    }),
  );
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function resolveLogPath(
  { recordedField, field }: Setting,
  value: unknown,
  { name, cwd, pm2Home }: SettingContext,
): unknown {
  if (value === "NULL" || value === "/dev/null") return "/dev/null";
  if (typeof value === "string" && value !== "") return value.startsWith("~") ? UNKNOWN : resolvePath(cwd, value);
  if (recordedField === "pm_log_path" && value !== true) return undefined;
  if (pm2Home === undefined) return UNKNOWN;
  const kind = { out_file: "-out", error_file: "-error" }[field] ?? "";
  return `${pm2Home}/logs/${name.replaceAll(/[^a-zA-Z0-9\\.-]/g, "-")}${kind}.log`;
}

/** PM2 inserts the process id before the extension, unless the app merges its logs. */
function withoutProcessId(path: unknown): string {
  return String(path).replace(/-[0-9]+\.log$/, ".log");
}

function readBoolean(value: unknown): boolean {
  return value === true || value === "true";
}

function readNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function unitReader(units: Readonly<Record<string, number>>) {
  return (value: unknown): number | undefined => {
    const [, count, unit = ""] = /^(\d+)([A-Za-z])$/.exec(String(value)) ?? [];
    return count === undefined ? readNumber(value) : readNumber(Number(count) * (units[unit] ?? Number.NaN));
  };
}

/** PM2 itself considers a process stable after this time. */
export const STABLE_MS = 1000;

/**
 * PM2's daemon treats a failed write of pm2.log as its own defect: it runs `pm2 update`, which ends every app. A file system
 * gives space in blocks of this size.
 */
export const MIN_PM2_LOG_SPACE = 4096;
