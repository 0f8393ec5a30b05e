import { join } from "node:path";
import { readIfReadable } from "./system.ts";

/** The limits of the group of the first process: in a container, the container. Null without a limit. */
export interface GroupLimits {
  readonly cpu: { readonly cores: number; readonly usedMs: number | null } | null;
  /** `usedBytes` does not count cached files, which the kernel drops before it ends a process. */
  readonly memory: { readonly bytes: number; readonly usedBytes: number | null } | null;
}

type Limit = readonly [limit: number, used: number | null];

/** @param root of the files that are read, for tests @see cgroups(7) */
export function readGroupLimits(root = "/"): GroupLimits {
  const groups = readIfReadable(join(root, "proc/1/cgroup"));
  const folders = (controller: string, form: RegExp): string[] =>
    withParents(form.exec(groups)?.[1] ?? "/").map((path) => join(root, "sys/fs/cgroup", controller, path));
  const unified = folders("", /^0::(.*)$/m);
  const [cores, usedMs] = least([
    ...unified.map(unifiedCpu),
    ...folders("cpu", /^\d+:(?:.*,)?cpu(?:,.*)?:(.*)$/m).map(formerCpu),
  ]);
  const [bytes, usedBytes] = least([
    ...unified.map((folder) => memoryOf(folder, "memory.max", "memory.current")),
    ...folders("memory", /^\d+:(?:.*,)?memory(?:,.*)?:(.*)$/m).map((folder) =>
      memoryOf(folder, "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ),
  ]);
  return {
    cpu: cores === Infinity ? null : { cores, usedMs },
    memory: bytes >= NO_MEMORY_LIMIT ? null : { bytes, usedBytes },
  };
}

/** Version 1 writes the largest multiple of a page for no limit. */
const NO_MEMORY_LIMIT = 2 ** 60;

/** The path of the host may be hidden in a container, where its own group is the root. */
function withParents(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "" && part !== "..");
  return ["/", ...parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}/`)];
}

function least(limits: readonly Limit[]): Limit {
  return limits.reduce((lowest, one) => (one[0] < lowest[0] ? one : lowest), [Infinity, null]);
}

function unifiedCpu(folder: string): Limit {
  const [quota, period] = read(folder, "cpu.max").split(" ").map(Number);
  return limitOf((quota ?? NaN) / (period ?? NaN), numberIn(read(folder, "cpu.stat"), "usage_usec", 1e-3));
}

function formerCpu(folder: string): Limit {
  const cores = Number(read(folder, "cpu.cfs_quota_us") || NaN) / Number(read(folder, "cpu.cfs_period_us") || NaN);
  const usage = read(folder, "cpuacct.usage") || read(folder.replace("/cpu/", "/cpuacct/"), "cpuacct.usage");
  return limitOf(cores, usage === "" ? null : Number(usage) / 1e6);
}

function memoryOf(folder: string, limit: string, current: string): Limit {
  const used = read(folder, current);
  const stat = read(folder, "memory.stat");
  const cached = numberIn(stat, "total_inactive_file") ?? numberIn(stat, "inactive_file") ?? 0;
  return limitOf(Number(read(folder, limit) || NaN), used === "" ? null : Math.max(0, Number(used) - cached));
}

function limitOf(limit: number, used: number | null): Limit {
  return limit > 0 ? [limit, used] : [Infinity, null];
}

function read(folder: string, name: string): string {
  return readIfReadable(join(folder, name)).trim();
}

function numberIn(text: string, name: string, factor = 1): number | null {
  const found = new RegExp(String.raw`^${name} (\d+)$`, "m").exec(text)?.[1];
  return found === undefined ? null : Number(found) * factor;
}
