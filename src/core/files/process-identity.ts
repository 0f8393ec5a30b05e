import { hostname } from "node:os";
import { hasEnded, parsePidStat } from "./proc.ts";
import type { UniqueProcess } from "./ports.ts";
import { hasErrorCode, readlink, readText } from "./system.ts";

export type { UniqueProcess } from "./ports.ts";

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

const MAX_ANCESTORS = 64;

/** The parent first. Leaves out the first process of the machine or the container, which is an ancestor of every process. */
export async function listAncestors(self: UniqueProcess): Promise<UniqueProcess[]> {
  const ancestors: UniqueProcess[] = [];
  let stat = parsePidStat(await readText("/proc/self/stat").catch(() => ""));
  while (stat !== undefined && stat.parentPid > 1 && ancestors.length < MAX_ANCESTORS) {
    const pid = stat.parentPid;
    stat = parsePidStat(await readText(`/proc/${pid}/stat`).catch(() => ""));
    if (stat !== undefined) ancestors.push({ ...self, pid, startTime: stat.startTime });
  }
  return ancestors;
}

export function hasPid(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasErrorCode(error, "ESRCH"); // EPERM: it runs as another user
  }
}
