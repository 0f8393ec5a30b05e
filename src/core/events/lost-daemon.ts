import type { DaemonTraces } from "../pm2/daemon-traces.ts";
import type { SvcmEvent } from "../api/events.ts";
import { floorToSecond, formatSecond } from "../words/seconds.ts";

const MAX_NAMES = 5;

/** The end of a process whose daemon was killed, while no new daemon runs. */
export function endWithDaemon(
  { pid, signMs }: DaemonTraces,
  { name, pmId }: { readonly name: string; readonly pmId: number | undefined },
): SvcmEvent | undefined {
  if (pid === null || signMs === null) return undefined;
  const at = floorToSecond(signMs);
  return {
    at: new Date(at).toISOString(),
    app: name,
    ...(pmId !== undefined && { pmId }),
    kind: "exit",
    cause: "daemon",
    certainty: "likely",
    evidence: [
      `PM2's daemon, pid ${pid}, ended without a message after ${formatSecond(at)}: it was killed or crashed, and its processes ended with it.`,
    ],
  };
}

/** Says what no daemon means for the process, with one command that brings it back. */
export function withoutDaemon({ pid, savedNames }: DaemonTraces, name: string): string {
  const what = pid === null ? "No PM2 daemon runs." : `PM2's daemon, pid ${pid}, no longer runs.`;
  if (savedNames.includes(name)) return `${what} To start ${nameList(savedNames)} again: pm2 resurrect`;
  const others = savedNames.length === 0 ? "" : `, only ${nameList(savedNames)}`;
  return `${what} The saved list does not have ${name}${others}. To start what is declared: svcm apply`;
}

function nameList(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  const first = names.slice(0, MAX_NAMES).join(", ");
  return more > 0 ? `${first} and ${more} more` : first;
}

/** @param own newest first */
export function wasRunning(own: readonly Pick<SvcmEvent, "kind" | "evidence">[]): boolean {
  const newest = own.find(({ kind }) => kind !== "action" && kind !== "write" && kind !== "apply");
  if (newest === undefined) return true;
  const { kind, evidence } = newest;
  return kind === "start" || kind === "restart" || evidence.includes(STARTED_AGAIN);
}

export const STARTED_AGAIN = "PM2 started it again.";
