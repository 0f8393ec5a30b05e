import { hostname } from "node:os";
import { hasEnded, parsePidStat } from "./proc.ts";
import { hasErrorCode, readlink, readText } from "./system.ts";

/** A pid alone may be reused. */
export interface UniqueProcess {
  readonly pid: number;
  /** Start time in clock ticks since boot; null if the system does not report it. */
  readonly startTime: string | null;
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
  readonly host: string;
}

export async function identifyProcess(): Promise<UniqueProcess> {
  const [stat, bootId, pidNamespace] = await Promise.all([
    readText("/proc/self/stat").catch(() => ""),
    readText("/proc/sys/kernel/random/boot_id").catch(() => null),
    readlink("/proc/self/ns/pid").catch(() => null),
  ]);
  // In another pid namespace, /proc shows the start times of other processes.
  const isOurProc = Number.parseInt(stat, 10) === process.pid;
  const startTime = isOurProc ? (parsePidStat(stat)?.startTime ?? null) : null;
  return { pid: process.pid, startTime, bootId: bootId?.trim() ?? null, pidNamespace, host: hostname() };
}

export async function isRunning(other: UniqueProcess, self: UniqueProcess): Promise<boolean> {
  if (!hasPid(other.pid)) return false;
  if (other.startTime === null || self.startTime === null) return true;
  const stat = parsePidStat(await readText(`/proc/${other.pid}/stat`).catch(() => ""));
  if (stat === undefined) return true; // hidden from this user, or just ended; the next attempt finds out
  return stat.startTime === other.startTime && !hasEnded(stat);
}

export function hasPid(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasErrorCode(error, "ESRCH"); // EPERM: it runs as another user
  }
}
