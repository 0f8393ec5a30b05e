import { readCopy, readList, writeCopy } from "../saved-files.ts";
import { type ActionContext, gracePeriodMs } from "./act.ts";
import { listAllProcesses } from "./connection.ts";

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
