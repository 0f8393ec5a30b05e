import type { SystemLimits } from "../../files/reading.ts";
import { readIfReadable } from "../../files/system.ts";

/** The soft limits. @see proc_pid_limits(5), inotify(7) */
export function readSystemLimits(pid: number | null): SystemLimits {
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
