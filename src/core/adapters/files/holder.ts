import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { hasEnded, parsePidStat } from "../../metrics/proc.ts";
import { recordIn } from "../../words/record.ts";
import { hasErrorCode, readlink, readText } from "./system.ts";

/** A pid alone may be reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot; null if the system does not report it. */
  readonly startTime: string | null;
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
  readonly host: string;
}

export interface Holder {
  /** Names one attempt to lock and is never reused. */
  readonly nonce: string;
  /** Null if svcm did not write the lock. */
  readonly process: ProcessIdentity | null;
  readonly since: number;
}

export type HolderState = "alive" | "dead" | "unverifiable";

const FOREIGN: Holder = { nonce: "", process: null, since: Number.POSITIVE_INFINITY };

/** Without this limit, a container that is killed during a write would lock out its successor forever. */
const MAX_HOLD_ELSEWHERE_MS = 300_000;

export async function identifyProcess(): Promise<ProcessIdentity> {
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

export function newNonce(self: ProcessIdentity): string {
  return `${self.pid}-${self.startTime ?? 0}-${randomBytes(8).toString("hex")}`;
}

export function serializeHolder(nonce: string, self: ProcessIdentity, since = Date.now()): string {
  return JSON.stringify({ nonce, since, ...self });
}

export async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return parseHolder(await readlink(path)) ?? FOREIGN;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    if (hasErrorCode(error, "EINVAL")) return FOREIGN; // not a symbolic link
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  const { nonce, since, pid, startTime, bootId, pidNamespace, host } = recordIn(text) ?? {};
  // The nonce is used in file names.
  if (typeof nonce !== "string" || !/^[0-9a-z-]{1,80}$/.test(nonce)) return undefined;
  if (!Number.isSafeInteger(pid) || Number(pid) < 1 || typeof host !== "string") return undefined;
  return {
    nonce,
    since: typeof since === "number" ? since : Number.POSITIVE_INFINITY,
    process: {
      pid: Number(pid),
      startTime: stringOrNull(startTime),
      bootId: stringOrNull(bootId),
      pidNamespace: stringOrNull(pidNamespace),
      host,
    },
  };
}

const stringOrNull = (value: unknown) => (typeof value === "string" ? value : null);

export async function judgeHolder(holder: Holder, self: ProcessIdentity): Promise<HolderState> {
  const other = holder.process;
  if (other === null) return "unverifiable";
  if (other.bootId === null || other.bootId !== self.bootId) {
    if (other.host !== self.host) return "unverifiable";
    if (other.bootId !== null && self.bootId !== null) return "dead";
  }
  if (other.pidNamespace !== self.pidNamespace) return hasHeldTooLong(holder) ? "dead" : "unverifiable";
  return (await isRunning(other, self)) ? "alive" : "dead";
}

/** Applies only to holders from this boot, because only their clock is comparable. */
function hasHeldTooLong({ process: other, since }: Holder): boolean {
  return other?.bootId !== null && Date.now() - since > MAX_HOLD_ELSEWHERE_MS;
}

async function isRunning(other: ProcessIdentity, self: ProcessIdentity): Promise<boolean> {
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
