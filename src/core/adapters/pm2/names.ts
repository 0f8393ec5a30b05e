import type { ProcessName } from "../../ports/processes.ts";
import { askDaemon } from "./ask-daemon.ts";
import { pm2Home } from "./home.ts";

/** Completion runs while a person waits. */
const PATIENCE_MS = 400;

/** Empty if no daemon answers. */
export async function pm2Names(env: Readonly<Record<string, string | undefined>>, cwd: string): Promise<ProcessName[]> {
  const list = await askDaemon(pm2Home(env, cwd).socket, "getMonitorData", PATIENCE_MS);
  return Array.isArray(list) ? list.flatMap(nameOf) : [];
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
