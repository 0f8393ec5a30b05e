import type { Finding } from "../../findings/rule.ts";
import { isRecord } from "../../words/record.ts";
import { suggest } from "../../words/suggest.ts";
import { isPm2Field, expectedType, pm2Fields, reservedVariable } from "../pm2-fields.ts";
import { appRule, type CheckedApp } from "./rule.ts";
import { fieldNames, firstValue } from "../normalise.ts";
import type { Data } from "../loaded.ts";
import { declaredSettings } from "../settings.ts";
import { hasNoDay } from "../schedule.ts";

const ENV_FILE = /^env_?file$/i;

export const fieldTypes = appRule({
  code: "ECOSYSTEM_FIELD_TYPE",
  severity: "error",
  *check({ fields }) {
    for (const [field, value] of Object.entries(fields)) {
      const expected = expectedType(field, value);
      if (expected !== undefined)
        yield { path: [field], message: `${field} is not ${expected}; PM2 refuses the whole file` };
    }
  },
});

export const unknownFields = appRule({
  code: "ECOSYSTEM_FIELD_UNKNOWN",
  severity: "warning",
  check: (app) => app.keys.filter((key) => isIgnored(app, key)).map(unknownField),
});

/** PM2's schema treats `env_file` as a block of variables, and would only read it with `--env file`. */
function isIgnored({ fields }: CheckedApp, key: string): boolean {
  return !isPm2Field(key) || (ENV_FILE.test(key) && !isRecord(fields[key]));
}

function unknownField(key: string): Finding {
  const isEnvFile = ENV_FILE.test(key);
  const advice = isEnvFile ? '; for Node.js write node_args: ["--env-file=<absolute path>"]' : "";
  return {
    path: [key],
    message: `PM2 knows no field "${key}" and ignores it${advice}`,
    suggestion: isEnvFile ? undefined : suggest(key, pm2Fields()),
  };
}

export const envBlocks = appRule({
  code: "ECOSYSTEM_ENV_BLOCK_UNUSED",
  severity: "warning",
  check: ({ keys }) =>
    keys
      .filter((key) => /^env_\S+$/.test(key) && !ENV_FILE.test(key))
      .map((key) => ({
        path: [key],
        message: `${key} is read only with --env ${key.slice(4)}, which the derived command does not pass; use env`,
      })),
});

export const clusterInterpreter = appRule({
  code: "ECOSYSTEM_CLUSTER_INTERPRETER",
  severity: "warning",
  *check({ declared: { execMode, interpreter } }) {
    if (execMode !== "cluster" || /(?:^|\/)node$/.test(interpreter)) return;
    const message = `in cluster mode PM2 runs its own Node.js and ignores the interpreter ${interpreter}; use exec_mode: "fork" or leave the interpreter out`;
    yield { path: ["interpreter"], message };
  },
});

export const cronZones = appRule({
  code: "ECOSYSTEM_CRON_ZONE",
  severity: "warning",
  *check(app) {
    const { TZ: zone } = app.normal.env;
    const here = app.checks?.timeZone;
    if (patternOf(app) === undefined || zone === undefined || here === undefined || zone === here) return;
    const message = `cron_restart counts in the time zone of PM2's daemon (on this machine ${here}), not in TZ=${zone} of the app`;
    yield { path: ["cron_restart"], message };
  },
});

export const cronDays = appRule({
  code: "ECOSYSTEM_CRON_DAYS",
  severity: "warning",
  *check(app) {
    const pattern = patternOf(app);
    const fields = pattern?.trim().split(/\s+/) ?? [];
    const [day = "*", , weekday = "*"] = fields.slice(-3);
    if (fields.length < 5 || [day, weekday].some((field) => /^[*?]/.test(field))) return;
    const message = `cron_restart ${JSON.stringify(pattern)} runs only if the day of the month and the weekday both match; cron would run on either`;
    yield { path: ["cron_restart"], message };
  },
});

export const cronNever = appRule({
  code: "ECOSYSTEM_CRON_NEVER",
  severity: "warning",
  *check(app) {
    const pattern = patternOf(app);
    if (pattern === undefined || !hasNoDay(pattern)) return;
    const message = `cron_restart ${JSON.stringify(pattern)} never comes, because no date has that day`;
    yield { path: ["cron_restart"], message };
  },
});

function patternOf({ fields }: CheckedApp): string | undefined {
  const pattern = firstValue(fields, fieldNames.cron);
  return typeof pattern === "string" ? pattern : undefined;
}

/** Values that PM2 accepts and reads otherwise than they look. */

/** PM2 also accepts text for these. */
const SWITCHES = ["watch", "filter_env", "filterEnv", "log_file", "logFile", "log"];

export const switchTexts = appRule({
  code: "ECOSYSTEM_SWITCH_TEXT",
  severity: "error",
  check: ({ fields }) =>
    SWITCHES.filter((field) => isSwitchText(fields[field])).map((field) => ({
      path: [field],
      message: `${field} is the text ${JSON.stringify(fields[field])}, which PM2 takes for a name; write it without quotes`,
    })),
});

function isSwitchText(value: Data | undefined): boolean {
  return typeof value === "string" && /^(?:true|false|yes|no|on|off|0|1)$/i.test(value.trim());
}

const MEBIBYTE = 1024 ** 2;
/** Less than any program of Node.js uses. */
const MIN_NODE_BYTES = 20 * MEBIBYTE;

export const memoryLimits = appRule({
  code: "ECOSYSTEM_MEMORY_LIMIT",
  severity: "error",
  *check(app) {
    const { maxMemoryRestart: bytes } = declaredSettings(app.fields, { name: "", cwd: "/", pm2Home: "/" }, String);
    if (typeof bytes !== "number" || bytes <= 0 || bytes >= minimumBytes(app)) return;
    const given = JSON.stringify(firstValue(app.fields, fieldNames.maxMemory));
    const message = `max_memory_restart: ${given} is ${bytes} bytes, and every process of the app uses more, so PM2 restarts it again and again; write a unit, such as "300M"`;
    yield { path: ["max_memory_restart"], message };
  },
});

function minimumBytes({ declared }: CheckedApp): number {
  return declared.execMode === "cluster" || /(?:^|\/)node$/.test(declared.interpreter) ? MIN_NODE_BYTES : MEBIBYTE;
}

/** Fewer milliseconds are probably meant as seconds. */
const MIN_TIME_MS = 100;
const TIME_FIELDS = [
  ["kill_timeout", "killTimeout"],
  ["listen_timeout", "listenTimeout"],
  ["restart_delay", "restartDelay"],
  ["watch_delay", "watchDelay"],
] as const;

export const timeUnits = appRule({
  code: "ECOSYSTEM_TIME_UNIT",
  severity: "warning",
  *check({ fields }) {
    for (const names of TIME_FIELDS) {
      const ms = Number(firstValue(fields, names) ?? 0);
      if (ms > 0 && ms < MIN_TIME_MS)
        yield {
          path: [names[0]],
          message: `${names[0]}: ${ms} is ${ms} milliseconds; for seconds, write ${ms * 1000}`,
        };
    }
  },
});

const QUOTED = /^(["']).*\1$|[=:](["']).*\2$|^["']|["']$/s;
const SHELL_TEXT = /\$\{?[A-Z_]|^(?:&&|\|\|?|>>?|<|;)$/;

export const shellArguments = appRule({
  code: "ECOSYSTEM_ARGS_SHELL",
  severity: "warning",
  *check({ normal: { isCommandLine, args, interpreterArgs } }) {
    if (isCommandLine) return;
    for (const [field, words] of Object.entries({ args, interpreter_args: interpreterArgs })) {
      const guilty = words.find((word) => QUOTED.test(word) || SHELL_TEXT.test(word));
      if (guilty === undefined) continue;
      const message = `the app gets the argument ${guilty} as it is written in ${field}, because no shell is between PM2 and the app; write a list without quotes`;
      yield { path: [field], message };
    }
  },
});

/** PM2 would run something else in each start, so that no plan would be empty. */
export const reservedNames = appRule({
  code: "ECOSYSTEM_VARIABLE_RESERVED",
  severity: "error",
  blocks: "always",
  *check({ normal: { name } }) {
    if (!isPm2Field(name) || reservedVariable(name) !== "overwrites") return;
    const message = `PM2 gives each process a variable with the name of its app, so this name overwrites PM2's own field ${name}; rename the app`;
    yield { path: ["name"], message, apps: [name] };
  },
});

export const reservedVariables = appRule({
  code: "ECOSYSTEM_VARIABLE_RESERVED",
  severity: "error",
  *check({ fields, normal: { name } }) {
    for (const key of Object.keys(isRecord(fields["env"]) ? fields["env"] : {})) {
      const path = ["env", key];
      const kind = reservedVariable(key);
      if (key === name) yield { path, message: "PM2 overwrites a variable with the name of its app; rename it" };
      else if (kind === "overwrites")
        yield { path, message: `the variable ${key} overwrites PM2's own field ${key}; rename it` };
      else if (kind !== undefined) {
        const message = `the variable ${key} has the name of a field of PM2; another name cannot be confused with it`;
        yield { path, message, severity: "warning" };
      }
    }
  },
});

export const convertedValues = appRule({
  code: "ECOSYSTEM_VALUE_CONVERTED",
  severity: "warning",
  check: ({ fields }) =>
    Object.entries(isRecord(fields["env"]) ? fields["env"] : {})
      .filter(([key, value]) => typeof value === "object" && !key.startsWith("PM2_SERVE_"))
      .map(([key, value]) => ({
        path: ["env", key],
        message: `${key} is ${value === null ? 'null, and the process gets the text "null"' : "not text, and the process gets it as JSON"}`,
      })),
});

export const notStarted = appRule({
  code: "ECOSYSTEM_AUTOSTART_OFF",
  severity: "error",
  *check({ fields }) {
    if (fields["autostart"] !== false) return;
    const message = "autostart: false leaves the app stopped, so an apply would wait for it without success; remove it";
    yield { path: ["autostart"], message };
  },
});
