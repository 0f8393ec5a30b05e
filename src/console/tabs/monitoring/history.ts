import type { HostMetrics, ProcessMetrics } from "../../../client/index.ts";
import { Series } from "../../data/series.ts";

export const CPU = 0;
export const MEMORY = 1;
/** The first disk; the cores are behind the disks. */
export const DISK = 2;

/** The measured values of the host, and of each process that is still listed. */
export class History {
  /** Columns in percent: CPU, memory, each disk, each core. */
  host: Series | undefined;
  diskCount = 0;
  coreCount = 0;
  readonly #processes = new Map<string, Series>();

  addHost(time: number, { cpu, memory, disk }: HostMetrics): void {
    const disks = disk.map((entry) => ("usedPercent" in entry ? entry.usedPercent : null));
    // A column has one meaning, so another number of disks or cores starts a new series.
    if (this.host === undefined || this.diskCount !== disks.length || this.coreCount !== cpu.perCore.length) {
      [this.diskCount, this.coreCount] = [disks.length, cpu.perCore.length];
      this.host = new Series(DISK + disks.length + cpu.perCore.length);
    }
    this.host.push(time, [cpu.usagePercent, memory.usedPercent, ...disks, ...cpu.perCore]);
  }

  addProcesses(time: number, list: readonly ProcessMetrics[]): void {
    const keys = new Set(list.map(keyOf));
    for (const key of this.#processes.keys()) if (!keys.has(key)) this.#processes.delete(key);
    for (const process of list) {
      const series = this.processOf(process) ?? new Series(2);
      this.#processes.set(keyOf(process), series);
      series.push(time, [process.cpuPercent, process.memoryBytes]);
    }
  }

  /** Columns: CPU in percent, memory in bytes. */
  processOf(process: Pick<ProcessMetrics, "name" | "pmId">): Series | undefined {
    return this.#processes.get(keyOf(process));
  }
}

/** The name is a part of the key because PM2 reuses the number of a deleted process. */
export function keyOf({ name, pmId }: Pick<ProcessMetrics, "name" | "pmId">): string {
  return `${pmId} ${name}`;
}
