import { join } from "node:path";
import { textIfReadable } from "../../files/if-readable.ts";
import type { Pm2Process } from "./pm2-api.ts";

/**
 * Apps that the daemon started and its list lacks: a process that was deleted while PM2 launched it goes on, and in a
 * cluster it goes on answering requests. The first process of a machine is the parent of strangers too.
 */
export function unlistedPids(home: string, listed: readonly Pm2Process[]): number[] {
  const daemon = Number(textIfReadable(join(home, "pm2.pid")));
  if (!(daemon > 1)) return [];
  const known = new Set(listed.map(({ pid }) => pid));
  const children = textIfReadable(`/proc/${daemon}/task/${daemon}/children`).split(" ").filter(Boolean).map(Number);
  return children.filter((pid) => !known.has(pid) && isAppOf(home, pid));
}

/** PM2 gives an app its number, alone in fork mode and with its whole record in a cluster, and the folder of PM2. */
function isAppOf(home: string, pid: number): boolean {
  const variables = textIfReadable(`/proc/${pid}/environ`).split("\0");
  return variables.includes(`PM2_HOME=${home}`) && variables.some((one) => /^(?:pm_id|pm2_env)=/.test(one));
}
