import { readlinkSync } from "node:fs";
import { parsePidStat, parseTcpTable } from "../../metrics/proc.ts";
import type { Listener } from "../../metrics/reading.ts";
import { namesIn, textIfReadable } from "../files/if-readable.ts";

export function linuxListeners(): Listener[] {
  const sockets = new Map(["tcp", "tcp6"].flatMap((name) => parseTcpTable(textIfReadable(`/proc/net/${name}`))));
  if (sockets.size === 0) return [];
  return namesIn("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const own = new Set(namesIn(`/proc/${pid}/fd`).map((fd) => inodeOf(`/proc/${pid}/fd/${fd}`)));
    const found = [...own].flatMap((inode) => sockets.get(inode) ?? []);
    if (found.length === 0) return [];
    const parentPid = parsePidStat(textIfReadable(`/proc/${pid}/stat`))?.parentPid ?? 0;
    const program = textIfReadable(`/proc/${pid}/comm`).trim();
    return found.map((socket) => ({ pid: Number(pid), parentPid, program, ...socket }));
  });
}

function inodeOf(path: string): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.[1] ?? "";
  } catch {
    return "";
  }
}
