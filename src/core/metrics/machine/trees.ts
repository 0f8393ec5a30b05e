import { hasEnded, parsePidStat, TICKS_PER_SECOND } from "../../files/proc.ts";
import type { ProcessActivity } from "../../files/reading.ts";
import { listIfReadable, readIfReadable } from "../../files/system.ts";

/** A fork bomb must not stop svcm. */
const MAX_DESCENDANTS = 1000;

/** A child belongs to the thread that started it. Other threads than the main one hardly ever start any, and cost most of the time. */
type Threads = "main thread" | "all threads";

/** By process: its children, their children, and so on. */
export function descendantsOf(
  pids: readonly number[],
  threads: Threads = "all threads",
): ReadonlyMap<number, readonly number[]> {
  return new Map(pids.map((root) => [root, readDescendants(root, threads)]));
}

function readDescendants(root: number, threads: Threads): readonly number[] {
  const found = new Set<number>([root]);
  for (const pid of found) {
    if (found.size > MAX_DESCENDANTS) break;
    for (const child of readChildren(pid, threads)) found.add(child);
  }
  found.delete(root);
  return [...found];
}

function readChildren(pid: number, threads: Threads): number[] {
  const ids = threads === "main thread" ? [pid] : listIfReadable(`/proc/${pid}/task`);
  return ids.flatMap((id) => readIfReadable(`/proc/${pid}/task/${id}/children`).split(" ").filter(Boolean).map(Number));
}

/** Without processes that have ended or are hidden from this user. */
export function readActivity(pids: readonly number[]): ReadonlyMap<number, ProcessActivity> {
  return new Map(
    pids.flatMap((pid): [number, ProcessActivity][] => {
      const stat = parsePidStat(readIfReadable(`/proc/${pid}/stat`));
      if (stat === undefined || hasEnded(stat)) return [];
      const { parentPid } = stat;
      return [
        [pid, { parentPid, isSuspended: /^[Tt]$/.test(stat.state), cpuMs: (stat.cpuTicks / TICKS_PER_SECOND) * 1000 }],
      ];
    }),
  );
}
