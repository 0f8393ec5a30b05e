/** A group of processes with a memory limit, so the kernel kills one of them. It needs root and cgroups v1 or v2. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOTS = [
  { folder: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes" },
  { folder: "/sys/fs/cgroup", limit: "memory.max" },
];

export interface MemoryGroup {
  add(pid: number): void;
  /** Call it after its processes have ended. */
  remove(): void;
}

/** `undefined` if this user cannot create one on this machine. */
export function memoryGroup(name: string, bytes: number): MemoryGroup | undefined {
  for (const { folder, limit } of ROOTS) {
    const path = join(folder, name);
    try {
      mkdirSync(path);
    } catch {
      continue;
    }
    const remove = (): void => rmdirSync(path);
    if (!existsSync(join(path, limit))) {
      remove();
      continue;
    }
    writeFileSync(join(path, limit), String(bytes));
    return { add: (pid) => writeFileSync(join(path, "cgroup.procs"), String(pid)), remove };
  }
  return undefined;
}
