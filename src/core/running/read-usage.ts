/** Of others, PM2 alone measures CPU and memory. */
export function isMeasured(record: ProcessRecord): record is ProcessRecord & { readonly pid: number } {
  return record.pid !== null && record.isElsewhere !== true;
}

/** A shorter time would measure single clock ticks. */
const MEASURE_MS = 200;

/**
 * By PM2 id, CPU and memory of the processes that have descendants. PM2's list has those of each process alone. Waits only if
 * there are any.
 */
export async function readTreeUsage(
  { clock, machine }: HasClock & HasMachine,
  records: readonly ProcessRecord[],
): Promise<ReadonlyMap<number, TreeUsage>> {
  const kernel = await machine.openTrees();
  const roots = records.flatMap((record) => (isMeasured(record) ? [{ pmId: record.pmId, root: record.pid }] : []));
  const descendants = kernel?.descendants(roots.map(({ root }) => root));
  const trees = roots.flatMap(({ pmId, root }) => {
    const own = descendants?.get(root) ?? [];
    return own.length === 0 ? [] : [{ pmId, root, descendants: own }];
  });
  if (trees.length === 0) return new Map();
  const reader = await machine.openReader();
  try {
    const pids = trees.flatMap((tree) => [tree.root, ...tree.descendants]);
    const before = await reader.processes(pids);
    await clock.sleep(MEASURE_MS);
    const now = await reader.processes(pids);
    return new Map(trees.map((tree) => [tree.pmId, treeUsage(tree, before, now)]));
  } finally {
    reader.close();
  }
}

/** CPU and memory of a process with its descendants. */

import type { HasMachine, HasClock } from "../files/ports.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { ProcessTree } from "../api/metrics.ts";
import type { ProcessReading } from "../files/reading.ts";
import { roundToTenths } from "../words/numbers.ts";

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

/** Of one core. Null without two readings, or if the counter decreased. */
export function processCpuPercent(before: ProcessReading | undefined, now: ProcessReading): number | null {
  if (now.cpuPercent !== null) return roundToTenths(now.cpuPercent);
  const perMs = perMillisecond(before, now, before?.cpuMs, now.cpuMs);
  return perMs === null ? null : roundToTenths(perMs * 100);
}

/** Null without two readings, or if the counter decreased. */
export function perMillisecond(
  before: ProcessReading | undefined,
  now: ProcessReading,
  from: number | null | undefined,
  to: number | null | undefined,
): number | null {
  if (before === undefined || typeof from !== "number" || typeof to !== "number") return null;
  const elapsedMs = now.atMs - before.atMs;
  return elapsedMs > 0 && to >= from ? (to - from) / elapsedMs : null;
}
