import type * as Crypto from "node:crypto";
import { readFile } from "node:fs/promises";
import { availableParallelism, hostname, userInfo } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { hasEnded, parsePidStat } from "../metrics/proc.ts";
import type { Clock, Host } from "../ports/index.ts";
import { hasErrorCode, readIfReadable, readlink, readText } from "./files/system.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal && { signal });
  },
};

export const nodeHost: Host = {
  digest: (bytes) => crypto().createHash("sha256").update(bytes).digest("base64url"),
  randomId: () => crypto().randomUUID(),
  machineId,
  cpuCores: () => Math.max(1, availableParallelism()),
  name: () => hostname(),
};

async function machineId(): Promise<string> {
  for (const file of ["/etc/machine-id", "/var/lib/dbus/machine-id"]) {
    const id = await readFile(file, "latin1").catch(() => "");
    if (/^[0-9a-f]{32}\s*$/.test(id)) return id.trim();
  }
  return hostname();
}

function crypto(): typeof Crypto {
  return process.getBuiltinModule("node:crypto");
}

export function userName(uid: number | string): string {
  const entry = new RegExp(`^([^:]+):[^:]*:${uid}:`, "m").exec(readIfReadable("/etc/passwd"));
  return entry?.[1] ?? `uid ${uid}`;
}

export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

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

function hasPid(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasErrorCode(error, "ESRCH"); // EPERM: it runs as another user
  }
}
