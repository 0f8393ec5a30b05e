import type { GroupLimits } from "../../files/group-limits.ts";
import type { HostReading, MemoryReading } from "../../files/reading.ts";

/** In a container, `/proc` shows the whole machine, of which its group may use a part. @param nowMs on a monotonic clock */
export function withinLimits(reading: HostReading, { cpu, memory }: GroupLimits, nowMs: number): HostReading {
  const isCpuLimited = cpu !== null && cpu.usedMs !== null && cpu.cores < reading.cores.size;
  const isMemoryLimited = memory !== null && memory.bytes < (reading.memory.totalBytes ?? Infinity);
  return {
    ...reading,
    ...(isCpuLimited && { all: { busy: cpu.usedMs ?? 0, total: nowMs * cpu.cores } }),
    ...(isMemoryLimited && { memory: memoryWithin(reading.memory, memory.bytes, memory.usedBytes) }),
  };
}

/** The machine may have less left than the group may take. */
function memoryWithin(machine: MemoryReading, totalBytes: number, usedBytes: number | null): MemoryReading {
  if (usedBytes === null) return { totalBytes, freeBytes: null, availableBytes: null };
  const leftBytes = Math.max(0, totalBytes - usedBytes);
  const atMost = (bytes: number | null): number => Math.min(leftBytes, bytes ?? leftBytes);
  return { totalBytes, freeBytes: atMost(machine.freeBytes), availableBytes: atMost(machine.availableBytes) };
}
