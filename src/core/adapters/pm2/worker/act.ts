import type { ProcessAction } from "../../../api/names.ts";
import type { ProcessIdentity } from "../../../pm2/process-record.ts";
import { LinkFailure } from "../failure.ts";
import type { Connection } from "./connection.ts";
import type { Pm2Process } from "./pm2-api.ts";

export interface Acting {
  readonly connection: Connection;
  readonly timeoutMs: number;
  /** Called directly before PM2 gets the action, with the time that PM2 may take. */
  readonly handOver: (patienceMs: number) => void;
}

type Environment = Readonly<Record<string, string>>;

/** Without PM2's modules. @throws {LinkFailure} */
export async function listed(connection: Connection, timeoutMs: number): Promise<Pm2Process[]> {
  const all = (await connection.ask("getMonitorData", {}, timeoutMs)) as Pm2Process[];
  return all.filter(({ pm2_env }) => !pm2_env["pmx_module"]);
}

/**
 * Acts on one process after a list on the same connection. A daemon that does not answer gets nothing that it could do
 * later, and a number that now belongs to another process is noticed.
 * @throws {LinkFailure} PROCESS_CHANGED and those of {@link Connection.ask}
 */
export async function act(
  acting: Acting,
  action: ProcessAction,
  identity: ProcessIdentity,
  env?: Environment,
): Promise<void> {
  const found = (await listed(acting.connection, acting.timeoutMs)).find(({ pm_id }) => pm_id === identity.pmId);
  if (found === undefined || !isSame(found, identity)) throw changed(identity);
  const { method, argument } = rpcOf(action, found, env);
  // PM2 would start the process and later also perform its waiting restart.
  if (action !== "stop" && found.pm2_env["status"] === "waiting restart")
    await give(acting, "stopProcessId", found, found.pm_id);
  await give(acting, method, found, argument);
}

async function give(acting: Acting, method: string, found: Pm2Process, argument: unknown): Promise<void> {
  const patienceMs = acting.timeoutMs + graceOf(found);
  acting.handOver(patienceMs);
  await acting.connection.ask(method, argument, patienceMs);
}

function rpcOf(
  action: ProcessAction,
  { pm_id: id }: Pm2Process,
  env?: Environment,
): { method: string; argument: unknown } {
  // PM2 overrides the environment of the process with `env`.
  if (action === "restart") return { method: "restartProcessId", argument: { id, ...(env && { env }) } };
  return { method: action === "stop" ? "stopProcessId" : "startProcessId", argument: id };
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

/** By default, PM2 kills after 1.6 s and waits 3 s for a process to call itself ready. */
function graceOf({ pm2_env }: Pm2Process): number {
  const of = (key: string, otherwise: number): number => {
    const value = pm2_env[key];
    return typeof value === "number" && value >= 0 ? value : otherwise;
  };
  return of("kill_timeout", 1600) + (pm2_env["wait_ready"] ? of("listen_timeout", 3000) : 0);
}
