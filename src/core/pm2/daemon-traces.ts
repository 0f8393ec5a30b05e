import { nameList } from "../words/text.ts";

/** Traces that a daemon leaves behind. */
export interface DaemonTraces {
  /** Null if the daemon stopped on request, which removes its pid file. */
  readonly pid: number | null;
  /** The apps that `pm2 resurrect` starts. `svcm boot restore` leaves jobs and stopped ones at rest. */
  readonly savedNames: readonly string[];
  /** When a file of PM2 was last written; the daemon ended later. */
  readonly signMs: number | null;
}

/** `undefined` if it stopped on request. Only for a home without a daemon. */
export function deadDaemonText({ pid, savedNames }: DaemonTraces): string | undefined {
  if (pid === null) return undefined;
  const back = savedNames.length === 0 ? "" : ` To bring back ${nameList(savedNames)}: svcm boot restore`;
  return `PM2's daemon, pid ${pid}, ended without a message: it was killed, or the machine stopped.${back}`;
}

/** @param pids of the daemons that PM2's socket does not reach */
export function severalText(pids: readonly number[]): string {
  return `Another daemon of this PM2_HOME runs (pid ${pids.join(", ")}). PM2's list lacks its apps, so a start could run an app twice. To end it with its apps: kill ${pids.join(" ")}`;
}
