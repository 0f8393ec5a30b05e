import type { HostMetrics, ProcessMetrics } from "../../../client/index.ts";
import { createSeries, type Series } from "../../data/series.ts";

/** What was measured while the tab was open: of the host and of each process that is still there. */
export interface History {
  /** Columns: CPU, memory, then each disk, then each core; all in percent. */
  host: Series | undefined;
  readonly diskCount: number;
  readonly coreCount: number;
  addHost(time: number, host: HostMetrics): void;
  addProcesses(time: number, processes: readonly ProcessMetrics[]): void;
  /** Columns: CPU in percent, memory in bytes. */
  processOf(process: Pick<ProcessMetrics, "name" | "pmId">): Series | undefined;
}

export const CPU = 0;
export const MEMORY = 1;
/** The first disk; the cores stand behind the disks. */
export const DISK = 2;

export function createHistory(): History {
  const processes = new Map<string, Series>();
  return {
    host: undefined,
    diskCount: 0,
    coreCount: 0,
    addHost(time, { cpu, memory, disk }) {
      const disks = disk.map((entry) => ("usedPercent" in entry ? entry.usedPercent : null));
      // Another number of disks or cores begins anew: columns have to mean one thing.
      if (this.host === undefined || this.diskCount !== disks.length || this.coreCount !== cpu.perCore.length) {
        const columns = DISK + disks.length + cpu.perCore.length;
        Object.assign(this, { host: createSeries(columns), diskCount: disks.length, coreCount: cpu.perCore.length });
      }
      this.host?.push(time, [cpu.usagePercent, memory.usedPercent, ...disks, ...cpu.perCore]);
    },
    addProcesses(time, list) {
      const keys = new Set(list.map(keyOf));
      for (const key of processes.keys()) if (!keys.has(key)) processes.delete(key);
      for (const process of list) {
        const key = keyOf(process);
        const series = processes.get(key) ?? createSeries(2);
        processes.set(key, series);
        series.push(time, [process.cpuPercent, process.memoryBytes]);
      }
    },
    processOf: (process) => processes.get(keyOf(process)),
  };
}

/** PM2's number is free again when a process is deleted: the name belongs to it. */
export function keyOf({ name, pmId }: Pick<ProcessMetrics, "name" | "pmId">): string {
  return `${pmId} ${name}`;
}
