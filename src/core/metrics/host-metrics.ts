import type { HostSystem } from "../api/host-system.ts";
import type { HostMetrics } from "../api/metrics.ts";
import { tenths, usagePercent } from "./rates.ts";
import type { DiskReading, HostReading, MemoryReading } from "./reading.ts";

export interface HostFacts {
  readonly before: HostReading | undefined;
  readonly now: HostReading;
  readonly cpuModel: string | null;
  readonly system: HostSystem | null;
  readonly disks: readonly DiskReading[];
  readonly processRssSumBytes: number | null;
}

export function hostMetrics({ before, now, cpuModel, system, disks, processRssSumBytes }: HostFacts): HostMetrics {
  const cores = [...now.cores.keys()].toSorted((a, b) => a - b);
  return {
    system,
    cpu: {
      coreCount: cores.length,
      model: cpuModel,
      loadAvg: now.loadAvg ?? { one: null, five: null, fifteen: null },
      usagePercent: usagePercent(before?.all, now.all),
      perCore: cores.map((core) => usagePercent(before?.cores.get(core), now.cores.get(core))),
    },
    memory: memoryMetrics(now.memory, processRssSumBytes),
    disk: disks.map(diskMetrics),
  };
}

/** If the system does not estimate the available memory, the free memory counts. */
function memoryMetrics(
  { totalBytes, freeBytes, availableBytes }: MemoryReading,
  processRssSumBytes: number | null,
): HostMetrics["memory"] {
  const left = availableBytes ?? freeBytes;
  const usedBytes = totalBytes === null || left === null ? null : totalBytes - left;
  return {
    totalBytes,
    freeBytes,
    availableBytes,
    usedBytes,
    usedPercent: usedBytes === null || !totalBytes ? null : tenths((usedBytes / totalBytes) * 100),
    processRssSumBytes,
    otherBytes: usedBytes === null || processRssSumBytes === null ? null : Math.max(0, usedBytes - processRssSumBytes),
  };
}

/** The used percentage as `df` counts it: of the space for users without privileges. */
function diskMetrics(disk: DiskReading): HostMetrics["disk"][number] {
  if ("code" in disk) return { path: disk.path, error: disk.error, code: disk.code };
  const { path, blockBytes, blocks, freeBlocks, availableBlocks } = disk;
  const used = blocks - freeBlocks;
  const reachable = used + availableBlocks;
  return {
    path,
    totalBytes: blocks * blockBytes,
    freeBytes: freeBlocks * blockBytes,
    availableBytes: availableBlocks * blockBytes,
    usedBytes: used * blockBytes,
    usedPercent: reachable === 0 ? 0 : tenths((used / reachable) * 100),
  };
}
