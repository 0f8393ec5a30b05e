import { accessSync, constants, readlinkSync } from "node:fs";
import { parseEnviron, parsePidStat, parseTcpTable, hasPid } from "../../files/proc.ts";
import type { Listener, Pm2Origin, TcpSocket } from "../../files/reading.ts";
import { listIfReadable, readIfReadable, realPathIfReadable } from "../../files/system.ts";
import { isContained, isDaemon } from "../../pm2/daemon/proc.ts";
import { join, resolve } from "node:path";

const MAX_ANCESTORS = 64;

export function linuxListeners(): Listener[] {
  const listening = readTcpSockets().filter(({ isListening }) => isListening);
  const sockets = new Map(listening.map((socket) => [socket.inode, socket]));
  if (sockets.size === 0) return [];
  return listIfReadable("/proc").flatMap((entry) => {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) return [];
    const own = [...(readSocketInodes(pid) ?? [])].flatMap((inode) => sockets.get(inode) ?? []);
    if (own.length === 0) return [];
    const program = readIfReadable(`/proc/${pid}/comm`).trim();
    const ancestors = ancestorsOf(pid);
    const process = { pid, ancestors, program, origin: originOf(pid, ancestors) };
    return own.map(({ address, port, waiting }) => ({ ...process, address, port, waiting }));
  });
}

/** Of the network namespace of this process. */
export function readTcpSockets(): TcpSocket[] {
  return ["tcp", "tcp6"].flatMap((name) => parseTcpTable(readIfReadable(`/proc/net/${name}`)));
}

/** `undefined` if this user may not know them, or if the process has ended. */
export function readSocketInodes(pid: number): ReadonlySet<string> | undefined {
  const descriptors = listIfReadable(`/proc/${pid}/fd`);
  if (descriptors.length === 0) return undefined;
  return new Set(descriptors.flatMap((fd) => socketInode(`/proc/${pid}/fd/${fd}`) ?? []));
}

/**
 * True for a process that runs, but whose descriptors this user may not list, or whose sockets are those of another network.
 * A mount of `/proc` may hide it as a whole.
 */
export function isHidden(pid: number): boolean {
  try {
    accessSync(`/proc/${pid}/fd`, constants.R_OK);
    return readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync("/proc/self/ns/net");
  } catch {
    return hasPid(pid);
  }
}

function socketInode(path: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.[1];
  } catch {
    return undefined;
  }
}

function ancestorsOf(pid: number): number[] {
  const pids: number[] = [];
  for (let next = parentOf(pid); next > 0 && pids.length < MAX_ANCESTORS; next = parentOf(next)) pids.push(next);
  return pids;
}

function parentOf(pid: number): number {
  return parsePidStat(readIfReadable(`/proc/${pid}/stat`))?.parentPid ?? 0;
}

/**
 * PM2 gives them to each process in fork mode, and a child inherits them. Null for those of a further daemon of that
 * PM2_HOME, and in another container: PM2's list lacks them or has other numbers of them, but they are not left over.
 */
function originOf(pid: number, ancestors: readonly number[]): Pm2Origin | null {
  const { PM2_HOME: pm2Home, name, pm_id: pmId } = parseEnviron(readIfReadable(`/proc/${pid}/environ`));
  if (!pm2Home || !name || !/^\d{1,9}$/.test(pmId ?? "")) return null;
  const reached = Number(readIfReadable(join(pm2Home, "pm2.pid")));
  if (isContained(pid) || ancestors.some((ancestor) => ancestor !== reached && isDaemon(ancestor))) return null;
  return { pm2Home: realPathIfReadable(resolve(pm2Home)), name, pmId: Number(pmId) };
}
