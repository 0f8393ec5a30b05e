import type { ProcessName } from "../../ports/processes.ts";
import { pm2Home } from "./home.ts";
import { probe } from "./probe.ts";

/** Completion runs while a person waits. */
const PATIENCE_MS = 400;

/** Empty if no daemon answers. */
export async function pm2Names(env: Readonly<Record<string, string | undefined>>, cwd: string): Promise<ProcessName[]> {
  const list = await askDaemon(pm2Home(env, cwd).socket, "getMonitorData");
  return Array.isArray(list) ? list.flatMap(nameOf) : [];
}

/**
 * The answer of PM2's daemon in time; `undefined` if it does not answer. It loads only a tenth of PM2 and
 * starts no worker, because completion has to be fast.
 */
export async function askDaemon(
  path: string,
  method: "getMonitorData" | "getVersion",
  patienceMs = PATIENCE_MS,
): Promise<unknown> {
  if ((await probe(path)) !== undefined) return undefined;
  const [{ default: axon }, { default: rpc }] = await Promise.all([
    import("pm2/modules/pm2-axon/index.js"),
    import("pm2/modules/pm2-axon-rpc/index.js"),
  ]);
  const socket = axon.socket("req");
  socket.connect(path);
  const answer = await new Promise<unknown>((resolve) => {
    const late = setTimeout(resolve, patienceMs);
    new rpc.Client(socket).call(method, {}, (_error, value) => {
      clearTimeout(late);
      resolve(value);
    });
  });
  socket.close();
  return answer;
}

function nameOf(item: unknown): ProcessName[] {
  const { name, pm_id: pmId, pm2_env: facts } = item as Record<string, unknown>;
  const { status, namespace, pmx_module: isModule } = (facts ?? {}) as Record<string, unknown>;
  if (typeof name !== "string" || typeof pmId !== "number" || isModule) return [];
  return [
    {
      name,
      pmId,
      status: typeof status === "string" ? status : "unknown",
      namespace: typeof namespace === "string" ? namespace : "default",
    },
  ];
}
