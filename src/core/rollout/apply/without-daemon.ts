import type { HasProcessLogs } from "../../logs/port-logs.ts";
import { restoreCommand, survivorsText } from "../../pm2/daemon-traces.ts";
import { listIfRunning } from "../../pm2/list.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";

interface WayWithoutDaemon {
  readonly state: string;
  /** The saved list has what ran before. */
  readonly back: string | undefined;
  /** Without a way back. */
  readonly onwards: string;
}

/** A rollback needs a daemon. `undefined` if one runs. */
export async function findWayWithoutDaemon(
  ports: HasProcesses & HasProcessLogs,
): Promise<WayWithoutDaemon | undefined> {
  if (!(await isDaemonGone(ports))) return undefined;
  const traces = await ports.processLogs.readDaemonTraces();
  const survivors = survivorsText(traces);
  const state =
    survivors === "" ? "PM2's daemon has ended, and its apps with it." : `PM2's daemon has ended.${survivors}`;
  const back = restoreCommand(traces);
  if (traces.savedNames.length > 0) return { state, back, onwards: "" };
  const onwards = `To start what is declared: ${back.replace("boot restore", "apply")}`;
  return { state: `${state} PM2's saved list has no app.`, back: undefined, onwards };
}

export async function isDaemonGone({ processes }: HasProcesses): Promise<boolean> {
  return (await listIfRunning(processes).catch(() => [])) === undefined;
}
