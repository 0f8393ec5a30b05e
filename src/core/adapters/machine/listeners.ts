import { readlinkSync } from "node:fs";
import { parsePidStat, parseTcpTable } from "../../metrics/proc.ts";
import type { Listener } from "../../metrics/reading.ts";
import { listIfReadable, readIfReadable } from "../files/system.ts";

export function linuxListeners(): Listener[] {
  const sockets = new Map(["tcp", "tcp6"].flatMap((name) => parseTcpTable(readIfReadable(`/proc/net/${name}`))));
  if (sockets.size === 0) return [];
  return listIfReadable("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const inodes = new Set(listIfReadable(`/proc/${pid}/fd`).map((fd) => socketInode(`/proc/${pid}/fd/${fd}`)));
    const listening = [...inodes].flatMap((inode) => sockets.get(inode) ?? []);
    if (listening.length === 0) return [];
    const parentPid = parsePidStat(readIfReadable(`/proc/${pid}/stat`))?.parentPid ?? 0;
    const program = readIfReadable(`/proc/${pid}/comm`).trim();
    return listening.map((socket) => ({ pid: Number(pid), parentPid, program, ...socket }));
  });
}

function socketInode(path: string): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.[1] ?? "";
  } catch {
    return "";
  }
}
