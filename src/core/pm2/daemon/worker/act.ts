import { STABLE_MS, KILL_TIMEOUT_MS, LISTEN_TIMEOUT_MS } from "../../settings.ts";
import type { ProcessIdentity } from "../../process-record.ts";
import { requireEnded } from "../daemon-traces.ts";
import { goneNode } from "../daemons.ts";
import { LinkFailure, errorText, maskValues } from "../failure.ts";
import type { NextRun, DeclaredRun } from "../../port-processes.ts";
import type { ActionCall, FileCall } from "../protocol.ts";
import { type Connection, listProcesses, listAllProcesses } from "./connection.ts";
import { type Pm2Process, pm2Folder, requirePm2 } from "./pm2-api.ts";
import { isStoppedOrFinite, readRecord, savedApp, savedConf, writeDump, writeRecords } from "./saved-records.ts";
import { readCopy, readList, writeCopy } from "../saved-files.ts";
import { join, resolve } from "node:path";
import { isVariable, pm2Fields } from "../../pm2-fields.ts";
import { fieldsOf } from "./process-record.ts";

export interface ActionContext {
  readonly connection: Connection;
  readonly timeoutMs: number;
  readonly handOver: (waitMs: number) => void;
  readonly home: string;
}

/**
 * Lists the processes on the same connection first. So a daemon that does not respond gets no action that it could
 * carry out later, and svcm notices a reused id.
 * @throws {LinkFailure} PROCESS_CHANGED, APP_NEVER_SETTLES, and those of {@link Connection.call}
 */
export async function act(context: ActionContext, { method, target, run }: ActionCall): Promise<Pm2Process> {
  const conf = run && (await readConf(run, target, context.home));
  let { found, position } = await findTarget(context, target);
  const { pm_id: id, pm2_env } = found;
  if (method !== "duplicate") requireNotLaunching(found);
  await requireNode(context, method, found);
  if (method === "start") await requireEnded(context.home, String(found.name));
  // Otherwise PM2 would start the process now and when the delayed restart is due.
  if (STARTING.has(method) && pm2_env["status"] === "waiting restart")
    await sendAction(context, "stopProcessId", found, id);
  const isRestart = method === "restart" || method === "reload";
  if (isRestart && isCrashLooping(found)) {
    // An end between the list and the action would count as one of the new process.
    await sendAction(context, "stopProcessId", found, id);
    ({ found, position } = await findTarget(context, target));
    requireNotLaunching(found);
  }
  const env = conf && { current_conf: conf(found, position) };
  await sendAction(context, RPC[method], found, isRestart ? { id, ...(env && { env }) } : id);
  return found;
}

interface FoundTarget {
  readonly found: Pm2Process;
  /** Among the processes of its name, in the order of their ids. */
  readonly position: number;
}

async function findTarget({ connection, timeoutMs }: ActionContext, target: ProcessIdentity): Promise<FoundTarget> {
  const all = await listProcesses(connection, timeoutMs);
  const found = all.find(({ pm_id }) => pm_id === target.pmId);
  if (found === undefined || !isSame(found, target)) throw changedError(target);
  const position = all.filter(({ name, pm_id }) => String(name) === String(found.name) && pm_id < found.pm_id).length;
  return { found, position };
}

/** An app with `wait_ready` that keeps ending is being launched most of the time, so a stop could fail as well. */
function isCrashLooping({ pm2_env }: Pm2Process): boolean {
  const { status, unstable_restarts: unstable, pm_uptime: startedMs, wait_ready: isAwaited } = pm2_env;
  const isUnstable = status === "online" && Date.now() - Number(startedMs) < STABLE_MS;
  return isUnstable && Number(unstable) > 1 && isAwaited !== true;
}

async function readConf(
  run: NextRun,
  { pmId }: ProcessIdentity,
  home: string,
): Promise<(found: Pm2Process, position: number) => object> {
  if ("recordsFile" in run) {
    const record = readRecord(run, pmId);
    return (found) => savedConf(record, found);
  }
  const app = await resolveApp(run, home);
  return (found, position) => declaredConf(app, found, { drop: run.drop, position });
}

const RPC = {
  start: "startProcessId",
  stop: "stopProcessId",
  restart: "restartProcessId",
  reload: "reloadProcessId",
  remove: "deleteProcessId",
  duplicate: "duplicateProcessId",
} as const satisfies Record<ActionCall["method"], string>;

const STARTING: ReadonlySet<ActionCall["method"]> = new Set(["start", "restart", "reload"]);

async function sendAction(context: ActionContext, method: string, found: Pm2Process, argument: unknown): Promise<void> {
  const waitMs = context.timeoutMs + gracePeriodMs(found);
  context.handOver(waitMs);
  const call = (name: string, ...args: readonly unknown[]) => context.connection.call(name, args, waitMs);
  // PM2 would start a watched process again at the next file change.
  const first = ENDING.has(method) ? [call("stopWatch", method, argument)] : [];
  await Promise.all([...first, call(method, argument)]);
}

const ENDING: ReadonlySet<string> = new Set([RPC.stop, RPC.remove]);

export async function actOnFile(context: ActionContext, call: FileCall): Promise<void> {
  if (call.method === "restore") {
    const record = readRecord(call.saved, call.pmId);
    if (!isStoppedOrFinite(record)) await requireEnded(context.home, String(record.name));
    return sendAction(context, "prepare", record, savedApp(record));
  }
  const all = await listProcesses(context.connection, context.timeoutMs);
  if (call.method === "saveList") return writeDump(context.home, all);
  writeRecords(
    call.path,
    all.filter(({ pm_id }) => call.pmIds.includes(pm_id)),
  );
}

function isSame({ name, pm2_env }: Pm2Process, identity: ProcessIdentity): boolean {
  if (String(name) !== identity.name) return false;
  return identity.uniqueId === null || pm2_env["unique_id"] === identity.uniqueId;
}

function changedError({ name, pmId }: ProcessIdentity): LinkFailure {
  return new LinkFailure(
    "PROCESS_CHANGED",
    `PM2's number ${pmId} is no longer the process ${JSON.stringify(name)}: list the processes again.`,
  );
}

/** PM2 takes the end of a launching process for a crash and starts it again. */
function requireNotLaunching({ name, pm2_env }: Pm2Process): void {
  if (pm2_env["status"] === "launching")
    throw new LinkFailure("APP_NEVER_SETTLES", `PM2 is launching ${JSON.stringify(name)}.`);
}

/** A worker of a cluster runs the daemon's Node.js. Without it, PM2 never answers, and the old run has ended. */
async function requireNode(
  { home }: ActionContext,
  method: ActionCall["method"],
  { name, pm2_env }: Pm2Process,
): Promise<void> {
  const isConcerned = !ENDING.has(RPC[method]) && pm2_env["exec_mode"] === "cluster_mode";
  const gone = isConcerned ? await goneNode(home) : undefined;
  if (gone !== undefined)
    throw new LinkFailure(
      "DAEMON_NODE_GONE",
      `PM2's daemon runs ${gone}, which no longer exists, so it cannot start ${JSON.stringify(name)}. Nothing was stopped.`,
    );
}

/** PM2's defaults: 1.6 s before it kills, 3 s for a process to listen or to report ready. */
export function gracePeriodMs({ pm2_env }: Pm2Process): number {
  const field = (key: string, fallback: number): number => {
    const value = pm2_env[key];
    return typeof value === "number" && value >= 0 ? value : fallback;
  };
  return field("kill_timeout", KILL_TIMEOUT_MS) + field("listen_timeout", LISTEN_TIMEOUT_MS);
}

/**
 * PM2 stops one app after another on a signal, and saves each as it then is. So all are stopped at the same time here,
 * and the daemon ends on request, which saves nothing. If this is cut off, the copy of the list says so.
 */
export async function drain({ connection, home, timeoutMs, handOver }: ActionContext): Promise<void> {
  const all = await listAllProcesses(connection, timeoutMs);
  const { state, text } = readList(home);
  const copy = readCopy(home) ?? { savedAtMs: 0, text: "", draining: null };
  if (state === "read") writeCopy(home, { ...copy, draining: text });
  const waitMs = timeoutMs + Math.max(0, ...all.map(gracePeriodMs));
  handOver(waitMs * 2);
  // PM2 answers neither of these two requests.
  connection.call("notifyKillPM2", [{}], timeoutMs).catch(() => undefined);
  await Promise.allSettled(all.map(({ pm_id }) => connection.call("stopProcessId", [pm_id], waitMs)));
  connection.call("killMe", [{}], timeoutMs).catch(() => undefined);
  await connection.lost.catch(() => undefined);
  if (state === "read") writeCopy(home, { ...copy, draining: null });
}

/** Validated, with defaults and absolute paths. `env` holds only declared variables. */
type ResolvedApp = Readonly<Record<string, unknown>> & { readonly env: Readonly<Record<string, unknown>> };

/** As `pm2 start <file>` does. @throws {LinkFailure} PM2_ACTION_FAILED with PM2's message, without values */
async function resolveApp({ app, folder }: DeclaredRun, home: string): Promise<ResolvedApp> {
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
function declaredConf(
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
