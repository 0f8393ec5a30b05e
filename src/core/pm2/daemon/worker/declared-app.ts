import { join, resolve } from "node:path";
import { isVariable, pm2Fields } from "../../pm2-fields.ts";
import type { DeclaredRun } from "../../port-processes.ts";
import { errorText, LinkFailure, maskValues } from "../failure.ts";
import { pm2Folder, requirePm2, type Pm2Process } from "./pm2-api.ts";
import { fieldsOf } from "./process-record.ts";

/** Validated, with defaults and absolute paths. `env` holds only declared variables. */
type ResolvedApp = Readonly<Record<string, unknown>> & { readonly env: Readonly<Record<string, unknown>> };

/** As `pm2 start <file>` does. @throws {LinkFailure} PM2_ACTION_FAILED with PM2's message, without values */
export async function resolveApp({ app, folder }: DeclaredRun, home: string): Promise<ResolvedApp> {
  const common = (await requirePm2("lib/Common.js")) as Pm2Common;
  try {
    const { cwd } = app;
    const base = resolve(folder, typeof cwd === "string" ? cwd : ".");
    const verified = common.verifyConfs([{ ...structuredClone(app), cwd: base }]);
    if (verified instanceof Error) throw verified;
    const [valid = {}] = verified;
    const script = valid["script"] === "serve" ? join(await pm2Folder(), "lib/API/Serve.js") : valid["script"];
    // The filter matches every name, so PM2 adds no variable of its caller.
    const conf = { ...valid, script, namespace: valid["namespace"] ?? "default", filter_env: [""] };
    const {
      filter_env: _filter,
      cwd: _base,
      env,
      ...resolved
    } = common.resolveAppAttributes({ cwd: "/", pm2_home: home }, conf);
    return {
      ...resolved,
      ...(cwd !== undefined && { cwd }),
      env: Object.fromEntries(Object.entries(env as object).map(withTextValue)),
    };
  } catch (error) {
    throw new LinkFailure("PM2_ACTION_FAILED", maskValues(errorText(error), [app]));
  }
}

interface Pm2Common {
  verifyConfs(apps: readonly object[]): Error | Record<string, unknown>[];
  resolveAppAttributes(
    options: { readonly cwd: string; readonly pm2_home: string },
    app: Record<string, unknown>,
  ): Record<string, unknown>;
}

function withTextValue([key, value]: [string, unknown]): [string, unknown] {
  return [key, typeof value === "object" ? JSON.stringify(value) : value];
}

/** PM2 sets these when it creates a process, or they have no effect on an existing one. */
const PROCESS_FIELDS = new Set(
  `autostart env exec_mode filter_env ignore_watch increment_var instance_var instances pm_pid_path username watch
   watch_delay watch_options`.split(/\s+/),
);

const LOG_PATHS = ["pm_log_path", "pm_out_log_path", "pm_err_log_path"] as const;

/**
 * PM2 copies each member over its record of the process (7.0.4, `Utility.extendMix`), and deletes a member whose value
 * is the text `null`.
 */
export function declaredConf(
  app: ResolvedApp,
  { pm_id, pm2_env }: Pm2Process,
  { drop, position }: { readonly drop: readonly string[]; readonly position: number },
): object {
  const declared = Object.entries(app).filter(([field]) => !PROCESS_FIELDS.has(field));
  const removed = [...pm2Fields(), "pm_log_path", "prev_restart_delay"].filter(
    (field) => field in pm2_env && !(field in app) && !PROCESS_FIELDS.has(field),
  );
  const nulls = [...removed, ...drop.filter(isVariable)].map((field) => [field, "null"] as const);
  return {
    ...Object.fromEntries(nulls),
    ...Object.fromEntries(declared),
    ...logPathsOf(app, pm_id),
    env: { ...mergeEnvironment(app, pm2_env, drop), ...countedVariable(app, position) },
  };
}

/** As PM2 counts when it creates the processes in this order. */
function countedVariable({ increment_var: key, env }: ResolvedApp, position: number): Readonly<Record<string, number>> {
  return typeof key === "string" ? { [key]: (Number(env[key]) || 0) + position } : {};
}

function mergeEnvironment(app: ResolvedApp, record: Pm2Process["pm2_env"], drop: readonly string[]): object {
  const before = Object.entries(fieldsOf(record["env"])).filter(([key]) => !drop.includes(key));
  // PM2 sets these for each process.
  const counters = new Set([app["increment_var"], app["instance_var"], "NODE_APP_INSTANCE"]);
  const declared = Object.entries(app.env).filter(([key]) => !counters.has(key));
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
