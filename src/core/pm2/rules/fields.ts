import type { Finding } from "../../findings/rule.ts";
import { isRecord } from "../../words/record.ts";
import { suggest } from "../../words/suggest.ts";
import { isPm2Field, expectedType, pm2Fields } from "../pm2-fields.ts";
import { appRule, type CheckedApp } from "./rule.ts";
import { fieldNames, firstValue } from "../normalise.ts";

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

function patternOf({ fields }: CheckedApp): string | undefined {
  const pattern = firstValue(fields, fieldNames.cron);
  return typeof pattern === "string" ? pattern : undefined;
}
