/** Values that PM2 accepts and reads otherwise than they look. */
import type { Finding } from "../../findings/rule.ts";
import { isRecord } from "../../words/record.ts";
import type { Data } from "../loaded.ts";
import { fieldNames, firstValue } from "../normalise.ts";
import { reservedVariable } from "../pm2-fields.ts";
import { declaredSettings } from "../settings.ts";
import type { CheckedApp, EcosystemRule } from "./rule.ts";

/** PM2 also accepts text for these. */
const SWITCHES = ["watch", "filter_env", "filterEnv", "log_file", "logFile", "log"];

export const switchTexts: EcosystemRule = {
  code: "ECOSYSTEM_SWITCH_TEXT",
  severity: "error",
  check: ({ apps }) =>
    apps.flatMap(({ index, label, fields }) =>
      SWITCHES.filter((field) => isSwitchText(fields[field])).map((field) => ({
        path: ["apps", index, field],
        message: `${label}: ${field} is the text ${JSON.stringify(fields[field])}, which PM2 takes for a name; write it without quotes`,
      })),
    ),
};

function isSwitchText(value: Data | undefined): boolean {
  return typeof value === "string" && /^(?:true|false|yes|no|on|off|0|1)$/i.test(value.trim());
}

const MEBIBYTE = 1024 ** 2;
/** Less than any program of Node.js uses. */
const MIN_NODE_BYTES = 20 * MEBIBYTE;

export const memoryLimits: EcosystemRule = {
  code: "ECOSYSTEM_MEMORY_LIMIT",
  severity: "error",
  check: ({ apps }) =>
    apps.flatMap((app): Finding[] => {
      const { maxMemoryRestart: bytes } = declaredSettings(app.fields, { name: "", cwd: "/", pm2Home: "/" }, String);
      if (typeof bytes !== "number" || bytes <= 0 || bytes >= minimumBytes(app)) return [];
      const given = JSON.stringify(firstValue(app.fields, fieldNames.maxMemory));
      const message = `${app.label}: max_memory_restart: ${given} is ${bytes} bytes, and every process of the app uses more, so PM2 restarts it again and again; write a unit, such as "300M"`;
      return [{ path: ["apps", app.index, "max_memory_restart"], message }];
    }),
};

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

export const timeUnits: EcosystemRule = {
  code: "ECOSYSTEM_TIME_UNIT",
  severity: "warning",
  check: ({ apps }) =>
    apps.flatMap(({ index, label, fields }) =>
      TIME_FIELDS.flatMap((names): Finding[] => {
        const ms = Number(firstValue(fields, names) ?? 0);
        if (!(ms > 0 && ms < MIN_TIME_MS)) return [];
        const message = `${label}: ${names[0]}: ${ms} is ${ms} milliseconds; for seconds, write ${ms * 1000}`;
        return [{ path: ["apps", index, names[0]], message }];
      }),
    ),
};

const QUOTED = /^(["']).*\1$|[=:](["']).*\2$|^["']|["']$/s;
const SHELL_TEXT = /\$\{?[A-Z_]|^(?:&&|\|\|?|>>?|<|;)$/;

export const shellArguments: EcosystemRule = {
  code: "ECOSYSTEM_ARGS_SHELL",
  severity: "warning",
  check: ({ apps }) =>
    apps.flatMap(({ index, label, normal }): Finding[] => {
      if (normal.isCommandLine) return [];
      const { args, interpreterArgs } = normal;
      return [
        ...shellFindings(args, "args", index, label),
        ...shellFindings(interpreterArgs, "interpreter_args", index, label),
      ];
    }),
};

function shellFindings(words: readonly string[], field: string, index: number, label: string): Finding[] {
  const guilty = words.find((word) => QUOTED.test(word) || SHELL_TEXT.test(word));
  if (guilty === undefined) return [];
  const message = `${label}: the app gets the argument ${guilty} as it is written in ${field}, because no shell is between PM2 and the app; write a list without quotes`;
  return [{ path: ["apps", index, field], message }];
}

export const reservedVariables: EcosystemRule = {
  code: "ECOSYSTEM_VARIABLE_RESERVED",
  severity: "error",
  check: ({ apps }) =>
    apps.flatMap(({ index, label, fields, normal }) =>
      Object.keys(isRecord(fields["env"]) ? fields["env"] : {}).flatMap((key): Finding[] => {
        const path = ["apps", index, "env", key];
        if (key === normal.name)
          return [{ path, message: `${label}: PM2 overwrites a variable with the name of its app; rename it` }];
        const kind = reservedVariable(key);
        if (kind === undefined) return [];
        if (kind === "overwrites")
          return [{ path, message: `${label}: the variable ${key} overwrites PM2's own field ${key}; rename it` }];
        const message = `${label}: the variable ${key} has the name of a field of PM2; another name cannot be confused with it`;
        return [{ path, message, severity: "warning" }];
      }),
    ),
};

export const convertedValues: EcosystemRule = {
  code: "ECOSYSTEM_VALUE_CONVERTED",
  severity: "warning",
  check: ({ apps }) =>
    apps.flatMap(({ index, label, fields }) =>
      Object.entries(isRecord(fields["env"]) ? fields["env"] : {})
        .filter(([key, value]) => typeof value === "object" && !key.startsWith("PM2_SERVE_"))
        .map(([key, value]) => ({
          path: ["apps", index, "env", key],
          message: `${label}: ${key} is ${value === null ? 'null, and the process gets the text "null"' : "not text, and the process gets it as JSON"}`,
        })),
    ),
};

export const notStarted: EcosystemRule = {
  code: "ECOSYSTEM_AUTOSTART_OFF",
  severity: "error",
  check: ({ apps }) =>
    apps
      .filter(({ fields }) => fields["autostart"] === false)
      .map(({ index, label }) => ({
        path: ["apps", index, "autostart"],
        message: `${label}: autostart: false leaves the app stopped, so an apply would wait for it without success; remove it`,
      })),
};
