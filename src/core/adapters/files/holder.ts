import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { hasEnded, parsePidStat } from "../../metrics/proc/pid-stat.ts";
import { isRefusal, readlink, readText } from "./system.ts";

/** What tells a process from all others, also from later ones that get its number again. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot; null where the system does not tell. */
  readonly startTime: string | null;
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
  readonly host: string;
}

/** Who stands in a lock or claim. A nonce names one attempt to lock and never returns. */
export interface Holder {
  readonly nonce: string;
  /** Null where something else than a lock of ours has its name. */
  readonly process: ProcessIdentity | null;
  /** When the attempt began, in milliseconds since the epoch. */
  readonly since: number;
}

export type Verdict = "alive" | "dead" | "unverifiable";

const STRANGER: Holder = { nonce: "", process: null, since: Number.POSITIVE_INFINITY };

/**
 * How long a holder in another container of this machine is waited for. A write takes milliseconds;
 * a container that was killed in the middle of one and started anew must not lock itself out for ever.
 */
const LONGEST_HOLD_ELSEWHERE_MS = 300_000;

export async function thisProcess(): Promise<ProcessIdentity> {
  const [stat, bootId, pidNamespace] = await Promise.all([
    readText("/proc/self/stat").catch(() => ""),
    readText("/proc/sys/kernel/random/boot_id").catch(() => null),
    readlink("/proc/self/ns/pid").catch(() => null),
  ]);
  // A /proc of another pid namespace counts differently: its start times would be those of others.
  const isOurProc = Number.parseInt(stat, 10) === process.pid;
  const startTime = isOurProc ? (parsePidStat(stat)?.startTime ?? null) : null;
  const boot = bootId?.trim() ?? null;
  return { pid: process.pid, startTime, bootId: boot, pidNamespace, host: hostname() };
}

/** The process is part of the nonce, so that a name in a folder listing tells whose it is. */
export function newNonce(self: ProcessIdentity): string {
  return `${self.pid}-${self.startTime ?? 0}-${randomBytes(8).toString("hex")}`;
}

export function serializeHolder(nonce: string, self: ProcessIdentity, since = Date.now()): string {
  return JSON.stringify({ nonce, since, ...self });
}

/** Reads a lock or claim; undefined where there is none (any more). */
export async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return parseHolder(await readlink(path)) ?? STRANGER;
  } catch (error) {
    if (isRefusal(error, "ENOENT")) return undefined;
    if (isRefusal(error, "EINVAL")) return STRANGER; // no link at all
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  const value = parseRecord(text);
  const { nonce, since, pid, startTime, bootId, pidNamespace, host } = value;
  // The nonce becomes part of a file name.
  if (typeof nonce !== "string" || !/^[0-9a-z-]{1,80}$/.test(nonce)) return undefined;
  if (!Number.isSafeInteger(pid) || Number(pid) < 1 || typeof host !== "string") return undefined;
  return {
    nonce,
    since: typeof since === "number" ? since : Number.POSITIVE_INFINITY,
    process: {
      pid: Number(pid),
      startTime: textOrNull(startTime),
      bootId: textOrNull(bootId),
      pidNamespace: textOrNull(pidNamespace),
      host,
    },
  };
}

const textOrNull = (field: unknown) => (typeof field === "string" ? field : null);

function parseRecord(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Is this process still running? `self` must be the process that asks. */
export async function judge(holder: Holder, self: ProcessIdentity): Promise<Verdict> {
  const other = holder.process;
  if (other === null) return "unverifiable";
  if (other.bootId === null || other.bootId !== self.bootId) {
    if (other.host !== self.host) return "unverifiable";
    if (other.bootId !== null && self.bootId !== null) return "dead";
  }
  if (other.pidNamespace !== self.pidNamespace) return hasHeldTooLong(holder) ? "dead" : "unverifiable";
  return (await isRunning(other, self)) ? "alive" : "dead";
}

/** For holders of this boot only: their clock is ours. */
function hasHeldTooLong({ process: other, since }: Holder): boolean {
  return other?.bootId !== null && Date.now() - since > LONGEST_HOLD_ELSEWHERE_MS;
}

async function isRunning(other: ProcessIdentity, self: ProcessIdentity): Promise<boolean> {
  if (!isListed(other.pid)) return false;
  if (other.startTime === null || self.startTime === null) return true;
  const stat = parsePidStat(await readText(`/proc/${other.pid}/stat`).catch(() => ""));
  if (stat === undefined) return true; // hidden from this user, or it has just ended: the next look shows it
  return stat.startTime === other.startTime && !hasEnded(stat);
}

function isListed(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !isRefusal(error, "ESRCH"); // EPERM: it runs, as somebody else
  }
}
