import { join } from "node:path";
import { textIfReadable } from "../../files/if-readable.ts";
import type { Pm2Process } from "./pm2-api.ts";

/**
 * A process that was deleted during its launch keeps running; in a cluster, it also keeps handling requests. A daemon
 * with pid 1 also adopts unrelated processes.
 */
export function unlistedPids(home: string, listed: readonly Pm2Process[]): number[] {
  const daemon = Number(textIfReadable(join(home, "pm2.pid")));
  if (!(daemon > 1)) return [];
  const known = new Set(listed.map(({ pid }) => pid));
  const children = textIfReadable(`/proc/${daemon}/task/${daemon}/children`).split(" ").filter(Boolean).map(Number);
  return children.filter((pid) => !known.has(pid) && isAppOf(home, pid));
}

/** The id is a variable in fork mode, and within the whole record in cluster mode. */
function isAppOf(home: string, pid: number): boolean {
  const variables = textIfReadable(`/proc/${pid}/environ`).split("\0");
  return variables.includes(`PM2_HOME=${home}`) && variables.some((one) => /^(?:pm_id|pm2_env)=/.test(one));
}
