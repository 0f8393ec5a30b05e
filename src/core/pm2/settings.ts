import { settingNames, type SettingName } from "../api/names.ts";
import { resolvePath } from "../project/resolve.ts";
import { canonicalArguments, canonicalValue } from "./canonical-value.ts";
import { first, type Fields } from "./normalise.ts";

/** Texts are digests, `null` is PM2's default. */
export type Settings = Readonly<Partial<Record<SettingName, string | number | boolean | null>>>;

/** PM2's default for `listen_timeout`. */
export const LISTEN_TIMEOUT_MS = 3000;

interface Setting {
  /** The name in PM2's record and in an ecosystem file. */
  readonly field: string;
  readonly aliases?: readonly string[];
  /** Returns `undefined` for a value that cannot be compared. */
  readonly read: (value: unknown) => string | number | boolean | undefined;
  readonly otherwise?: boolean;
  /** PM2's name, if different, for the absolute path that it derives for a log file. */
  readonly recorded?: string;
}

const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  autorestart: { field: "autorestart", read: toggle, otherwise: true },
  cronRestart: { field: "cron_restart", aliases: ["cron"], read: canonicalValue },
  errorFile: {
    field: "error_file",
    aliases: ["err_log", "err_file", "err", "error"],
    read: withoutNumber,
    recorded: "pm_err_log_path",
  },
  expBackoffRestartDelay: { field: "exp_backoff_restart_delay", read: numeric },
  gid: { field: "gid", read: numeric },
  killTimeout: { field: "kill_timeout", read: numeric },
  listenTimeout: { field: "listen_timeout", read: numeric },
  logDateFormat: { field: "log_date_format", read: canonicalValue },
  logFile: { field: "log_file", aliases: ["log"], read: withoutNumber, recorded: "pm_log_path" },
  maxMemoryRestart: { field: "max_memory_restart", read: inUnits({ K: 1024, M: 1024 ** 2, G: 1024 ** 3 }) },
  maxRestarts: { field: "max_restarts", read: numeric },
  minUptime: { field: "min_uptime", read: inUnits({ s: 1000, m: 60_000, h: 3_600_000 }) },
  outFile: {
    field: "out_file",
    aliases: ["out_log", "output", "out"],
    read: withoutNumber,
    recorded: "pm_out_log_path",
  },
  restartDelay: { field: "restart_delay", read: numeric },
  shutdownWithMessage: { field: "shutdown_with_message", read: toggle, otherwise: false },
  stopExitCodes: { field: "stop_exit_codes", read: (value) => canonicalArguments([value].flat()) },
  treekill: { field: "treekill", read: toggle, otherwise: true },
  // Only the machine that runs PM2 can resolve a user name to its number.
  uid: { field: "uid", aliases: ["user"], read: numeric },
  waitReady: { field: "wait_ready", read: toggle, otherwise: false },
};

type Digest = (value: string) => string;
type Value = string | number | boolean | null;

export function settingsOf(record: Readonly<Record<string, unknown>>, digest: Digest): Settings {
  return settings(({ recorded, field }) => record[recorded ?? field], digest);
}

export interface SettingPlaces {
  readonly name: string;
  readonly cwd: string;
  /** Contains the log files; without it, they are not compared. */
  readonly pm2Home: string | undefined;
}

export function declaredSettings(fields: Fields, places: SettingPlaces, digest: Digest): Settings {
  const raw = ({ field, aliases = [] }: Setting): unknown => {
    const camel = field.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    // PM2 7 ignores a falsy value unless it has the last of the alternative names.
    return first(fields, [field, ...aliases, camel]) ?? fields[camel];
  };
  const { gid, logDateFormat, uid } = SETTINGS;
  return settings((setting) => {
    const value = raw(setting);
    if (setting === logDateFormat && fields["time"] === true) return "YYYY-MM-DDTHH:mm:ss";
    // PM2 looks up the group of the user.
    if (setting === gid && isNothing(value) && !isNothing(raw(uid))) return OPEN;
    return setting.recorded === undefined ? value : logPath(setting, value, places);
  }, digest);
}

const OPEN = Symbol("not known here");

function settings(valueOf: (setting: Setting) => unknown, digest: Digest): Settings {
  return Object.fromEntries(
    settingNames.flatMap((name): [SettingName, Value][] => {
      const setting = SETTINGS[name];
      const value = valueOf(setting);
      if (isNothing(value)) return [[name, setting.otherwise ?? null]];
      const known = value === OPEN ? undefined : setting.read(value);
      if (known === undefined) return [];
      return [[name, typeof known === "string" ? digest(known) : known]];
    }),
  );
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

function logPath({ recorded, field }: Setting, value: unknown, { name, cwd, pm2Home }: SettingPlaces): unknown {
  if (value === "NULL" || value === "/dev/null") return "/dev/null";
  if (typeof value === "string" && value !== "") return value.startsWith("~") ? OPEN : resolvePath(cwd, value);
  if (recorded === "pm_log_path" && value !== true) return undefined;
  if (pm2Home === undefined) return OPEN;
  const kind = { out_file: "-out", error_file: "-error" }[field] ?? "";
  return `${pm2Home}/logs/${name.replaceAll(/[^a-zA-Z0-9\\.-]/g, "-")}${kind}.log`;
}

/** PM2 inserts the process id before the extension, unless the app merges its logs. */
function withoutNumber(path: unknown): string {
  return String(path).replace(/-[0-9]+\.log$/, ".log");
}

function toggle(value: unknown): boolean {
  return value === true || value === "true";
}

function numeric(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function inUnits(units: Readonly<Record<string, number>>) {
  return (value: unknown): number | undefined => {
    const [, count, unit = ""] = /^(\d+)([A-Za-z])$/.exec(String(value)) ?? [];
    return count === undefined ? numeric(value) : numeric(Number(count) * (units[unit] ?? Number.NaN));
  };
}
