import type { ProcessIdentity } from "../../../pm2/process-record.ts";
import { STABLE_MS } from "../../../pm2/control/verdict.ts";
import { LISTEN_TIMEOUT_MS } from "../../../pm2/settings.ts";
import { LinkFailure } from "../failure.ts";
import type { NextRun } from "../../../ports/processes.ts";
import type { ActionCall, FileCall } from "../protocol.ts";
import { type Connection, listProcesses } from "./connection.ts";
import { currentConf } from "./current-conf.ts";
import { formerApp, formerConf, keepRecords, keptRecord, saveDump } from "./keep.ts";
import type { Pm2Process } from "./pm2-api.ts";
import { resolveApp } from "./resolve-app.ts";

export interface Acting {
  readonly connection: Connection;
  readonly timeoutMs: number;
  readonly handOver: (patienceMs: number) => void;
  readonly home: string;
}

/**
 * Lists the processes on the same connection first. So a daemon that does not respond gets no action that it could
 * carry out later, and svcm notices a reused id.
 * @throws {LinkFailure} PROCESS_CHANGED, APP_NEVER_SETTLES, and those of {@link Connection.ask}
 */
export async function act(acting: Acting, { method, target, declared }: ActionCall): Promise<Pm2Process> {
  const conf = declared && (await confOf(declared, target, acting.home));
  let found = await listed(acting, target);
  const { pm_id: id, pm2_env } = found;
  if (method !== "duplicate") refuseLaunching(found);
  // Otherwise PM2 would start the process now and when the delayed restart is due.
  if (BEGINS.has(method) && pm2_env["status"] === "waiting restart") await give(acting, "stopProcessId", found, id);
  const isAgain = method === "restart" || method === "reload";
  if (isAgain && isLooping(found)) {
    // An end between the list and the action would count as one of the new process.
    await give(acting, "stopProcessId", found, id);
    found = await listed(acting, target);
    refuseLaunching(found);
  }
  const env = conf && { current_conf: conf(found) };
  await give(acting, RPC[method], found, isAgain ? { id, ...(env && { env }) } : id);
  return found;
}

async function listed({ connection, timeoutMs }: Acting, target: ProcessIdentity): Promise<Pm2Process> {
  const found = (await listProcesses(connection, timeoutMs)).find(({ pm_id }) => pm_id === target.pmId);
  if (found === undefined || !isSame(found, target)) throw changed(target);
  return found;
}

/** An app with `wait_ready` that keeps ending is being launched most of the time, so a stop could fail as well. */
function isLooping({ pm2_env }: Pm2Process): boolean {
  const { status, unstable_restarts: unstable, pm_uptime: startedMs, wait_ready: isAwaited } = pm2_env;
  const isYoung = status === "online" && Date.now() - Number(startedMs) < STABLE_MS;
  return isYoung && Number(unstable) > 1 && isAwaited !== true;
}

async function confOf(run: NextRun, { pmId }: ProcessIdentity, home: string): Promise<(found: Pm2Process) => object> {
  if ("keptIn" in run) {
    const kept = keptRecord(run, pmId);
    return (found) => formerConf(kept, found);
  }
  const app = await resolveApp(run, home);
  return (found) => currentConf(app, found, run.drop);
}

const RPC = {
  start: "startProcessId",
  stop: "stopProcessId",
  restart: "restartProcessId",
  reload: "reloadProcessId",
  remove: "deleteProcessId",
  duplicate: "duplicateProcessId",
} as const satisfies Record<ActionCall["method"], string>;

const BEGINS: ReadonlySet<ActionCall["method"]> = new Set(["start", "restart", "reload"]);

async function give(acting: Acting, method: string, found: Pm2Process, argument: unknown): Promise<void> {
  const patienceMs = acting.timeoutMs + graceOf(found);
  acting.handOver(patienceMs);
  const ask = (name: string, ...args: readonly unknown[]) => acting.connection.ask(name, args, patienceMs);
  // PM2 would start a watched process again at the next file change.
  const first = ENDS.has(method) ? [ask("stopWatch", method, argument)] : [];
  await Promise.all([...first, ask(method, argument)]);
}

const ENDS: ReadonlySet<string> = new Set([RPC.stop, RPC.remove]);

export async function actOnFile(acting: Acting, call: FileCall): Promise<void> {
  if (call.method === "revive") {
    const kept = keptRecord(call.former, call.pmId);
    return give(acting, "prepare", kept, formerApp(kept));
  }
  const all = await listProcesses(acting.connection, acting.timeoutMs);
  if (call.method === "save") return saveDump(acting.home, all);
  keepRecords(
    call.path,
    all.filter(({ pm_id }) => call.pmIds.includes(pm_id)),
  );
}

function isSame({ name, pm2_env }: Pm2Process, identity: ProcessIdentity): boolean {
  if (String(name) !== identity.name) return false;
  return identity.uniqueId === null || pm2_env["unique_id"] === identity.uniqueId;
}

function changed({ name, pmId }: ProcessIdentity): LinkFailure {
  return new LinkFailure(
    "PROCESS_CHANGED",
    `PM2's number ${pmId} is no longer the process ${JSON.stringify(name)}: list the processes again.`,
  );
}

/** PM2 takes the end of a launching process for a crash and starts it again. */
function refuseLaunching({ name, pm2_env }: Pm2Process): void {
  if (pm2_env["status"] === "launching")
    throw new LinkFailure("APP_NEVER_SETTLES", `PM2 is launching ${JSON.stringify(name)}.`);
}

/** PM2's defaults: 1.6 s before it kills, 3 s for a process to listen or to report ready. */
function graceOf({ pm2_env }: Pm2Process): number {
  const of = (key: string, otherwise: number): number => {
    const value = pm2_env[key];
    return typeof value === "number" && value >= 0 ? value : otherwise;
  };
  return of("kill_timeout", 1600) + of("listen_timeout", LISTEN_TIMEOUT_MS);
}
