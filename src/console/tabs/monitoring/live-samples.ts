import type { HostMetrics, ProcessMetrics } from "../../../client/index.ts";
import { Series } from "../../data/series.ts";
import { groupByApp, singleGroup } from "./rows.ts";

export const CPU = 0;
export const MEMORY = 1;
/** The column of the first disk; the columns of the cores follow the disks. */
export const DISK = 2;

export class LiveSamples {
  /** Columns in percent: CPU, memory, each disk, each core. */
  host: Series | undefined;
  diskCount = 0;
  coreCount = 0;
  readonly #rows = new Map<string, Series>();

  addHost(time: number, { cpu, memory, disk }: HostMetrics): void {
    const disks = disk.map((entry) => ("usedPercent" in entry ? entry.usedPercent : null));
    // Another number of disks or cores would change the meaning of the columns.
    if (this.host === undefined || this.diskCount !== disks.length || this.coreCount !== cpu.perCore.length) {
      [this.diskCount, this.coreCount] = [disks.length, cpu.perCore.length];
      this.host = new Series(DISK + disks.length + cpu.perCore.length);
    }
    this.host.push(time, [cpu.usagePercent, memory.usedPercent, ...disks, ...cpu.perCore]);
  }

  addProcesses(time: number, list: readonly ProcessMetrics[]): void {
    const apps = groupByApp(list);
    const all = [...apps, ...apps.flatMap(({ instances }) => (instances.length > 1 ? instances.map(singleGroup) : []))];
    for (const { key, process } of all) {
      const series = this.#rows.get(key) ?? new Series(2);
      if (series.length === 0) this.#rows.set(key, series);
      series.push(time, [process.cpuPercent, process.memoryBytes]);
    }
    if (this.#rows.size === all.length) return;
    const keys = new Set(all.map(({ key }) => key));
    for (const key of this.#rows.keys()) if (!keys.has(key)) this.#rows.delete(key);
  }

  /** Columns: CPU in percent, memory in bytes. */
  ofRow(key: string): Series | undefined {
    return this.#rows.get(key);
  }
}
