import { pm2Fields } from "../../../pm2/pm2-fields.ts";
import type { Pm2Process } from "./pm2-api.ts";
import { isVariable, objectOf } from "./process-record.ts";
import type { ResolvedApp } from "./resolve-app.ts";

/** PM2 sets these when it creates a process, or they have no effect on an existing one. */
const OF_THE_PROCESS = new Set(
  `autostart env exec_mode filter_env ignore_watch increment_var instance_var instances pm_pid_path username watch
   watch_delay watch_options`.split(/\s+/),
);

const LOG_PATHS = ["pm_log_path", "pm_out_log_path", "pm_err_log_path"] as const;

/**
 * PM2 copies each member over its record of the process (7.0.4, `Utility.extendMix`), and deletes a member whose value
 * is the text `null`.
 */
export function currentConf(app: ResolvedApp, { pm_id, pm2_env }: Pm2Process, drop: readonly string[]): object {
  const declared = Object.entries(app).filter(([field]) => !OF_THE_PROCESS.has(field));
  const removed = [...pm2Fields(), "pm_log_path", "prev_restart_delay"].filter(
    (field) => field in pm2_env && !(field in app) && !OF_THE_PROCESS.has(field),
  );
  return {
    ...nulls([...removed, ...drop.filter((key) => isVariable(key))]),
    ...Object.fromEntries(declared),
    ...logPathsOf(app, pm_id),
    env: environment(app, pm2_env, drop),
  };
}

function environment(app: ResolvedApp, record: Pm2Process["pm2_env"], drop: readonly string[]): object {
  const before = Object.entries(objectOf(record["env"])).filter(([key]) => !drop.includes(key));
  // PM2 sets these for each process.
  const counted = new Set([app["increment_var"], app["instance_var"], "NODE_APP_INSTANCE"]);
  const declared = Object.entries(app.env).filter(([key]) => !counted.has(key));
  const env = { ...Object.fromEntries(before), ...Object.fromEntries(declared) };
  // PM2 sets PWD to the declared folder when it starts an app.
  return "PWD" in env ? { ...env, PWD: app["cwd"] ?? app["pm_cwd"] } : env;
}

/** PM2 inserts the id of a process only when it creates the process. */
function logPathsOf(app: ResolvedApp, pmId: number): object {
  if (app["merge_logs"]) return {};
  const paths = LOG_PATHS.flatMap((field): [string, string][] => {
    const path = app[field];
    return typeof path === "string" ? [[field, path.replace(/-[0-9]+\.log$|\.log$/, `-${pmId}.log`)]] : [];
  });
  return Object.fromEntries(paths);
}

function nulls(fields: readonly string[]): object {
  return Object.fromEntries(fields.map((field) => [field, "null"]));
}
