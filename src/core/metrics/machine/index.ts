import type { Machine } from "../../files/ports.ts";
import { countCalls } from "../../files/proc.ts";
import { once } from "../../words/once.ts";
import { descendantsOf, openLinux, readActivity } from "./linux.ts";
import { querySystem } from "./disks.ts";
import type { SystemLimits } from "../../files/reading.ts";
import { readIfReadable } from "../../files/system.ts";

const MICROSECONDS = 1_000_000;

export function nodeMachine(options: { readonly diskPaths: readonly string[] }): Machine {
  const { platform } = process;
  const systemQuery = once(querySystem);
  return {
    platform,
    ownUsage() {
      const { user, system } = process.cpuUsage();
      return { cpuSeconds: (user + system) / MICROSECONDS, rssBytes: process.memoryUsage.rss() };
    },
    async listeners() {
      if (platform !== "linux") return undefined;
      const { linuxListeners } = await import("./listeners.ts");
      return linuxListeners();
    },
    systemLimits: (pid) => (platform === "linux" ? readSystemLimits(pid) : undefined),
    async openTrees() {
      if (platform !== "linux") return undefined;
      const { isHidden, readSocketInodes, readTcpSockets } = await import("./listeners.ts");
      return {
        descendants: descendantsOf,
        activity: readActivity,
        countCalls: (pid) => countCalls(readIfReadable(`/proc/${pid}/io`)),
        tcpSockets: readTcpSockets,
        shows: (pid) => !isHidden(pid),
        socketInodes: readSocketInodes,
      };
    },
    async openReader(paths = []) {
      const diskPaths = [...options.diskPaths, ...paths];
      if (platform === "linux") return openLinux(diskPaths, systemQuery());
      const { openPortable } = await import("./portable.ts");
      return openPortable(diskPaths, platform, systemQuery());
    },
  };
}

/** The soft limits. @see proc_pid_limits(5), inotify(7) */
function readSystemLimits(pid: number | null): SystemLimits {
  const text = pid === null ? "" : readIfReadable(`/proc/${pid}/limits`);
  const limit = (name: string): string | null => new RegExp(`^Max ${name} +(\\S+)`, "m").exec(text)?.[1] ?? null;
  return {
    openFiles: limit("open files"),
    processes: limit("processes"),
    addressSpace: limit("address space"),
    inotifyInstances: inotifyLimit("max_user_instances"),
    inotifyWatches: inotifyLimit("max_user_watches"),
  };
}

function inotifyLimit(name: string): string | null {
  return readIfReadable(`/proc/sys/fs/inotify/${name}`).trim() || null;
}
