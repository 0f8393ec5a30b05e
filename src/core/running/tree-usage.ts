/** CPU and memory of a process with its descendants. */
import type { ProcessTree } from "../api/process-tree.ts";
import type { ProcessReading } from "../files/reading.ts";
import { processCpuPercent } from "./process-rate.ts";
import { roundToTenths } from "../words/round.ts";

export interface TreeUsage {
  readonly cpuPercent: number | null;
  readonly memoryBytes: number | null;
  /** Present if there are descendants. */
  readonly tree?: ProcessTree;
}

type Readings = ReadonlyMap<number, ProcessReading>;

/** @param root the process that PM2 runs; @param descendants that have a reading now count */
export function treeUsage(
  { root, descendants }: { readonly root: number; readonly descendants: readonly number[] },
  before: Readings | undefined,
  now: Readings,
): TreeUsage {
  const own = usageOf(root, before, now);
  const others = descendants.filter((pid) => now.has(pid)).map((pid) => usageOf(pid, before, now));
  if (others.length === 0) return own;
  const all = [own, ...others];
  return {
    cpuPercent: own.cpuPercent === null ? null : roundToTenths(sum(all.map(({ cpuPercent }) => cpuPercent))),
    memoryBytes: own.memoryBytes === null ? null : sum(all.map(({ memoryBytes }) => memoryBytes)),
    tree: { processCount: all.length, ownCpuPercent: own.cpuPercent, ownMemoryBytes: own.memoryBytes },
  };
}

function usageOf(pid: number, before: Readings | undefined, now: Readings): Omit<TreeUsage, "tree"> {
  const reading = now.get(pid);
  if (reading === undefined) return { cpuPercent: null, memoryBytes: null };
  return { cpuPercent: processCpuPercent(before?.get(pid), reading), memoryBytes: reading.rssBytes };
}

/** A process that has just begun has no rate yet. */
function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}
