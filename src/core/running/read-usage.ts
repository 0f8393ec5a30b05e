import type { HasMachine } from "../files/port-machine.ts";
import type { HasClock } from "../files/port-host.ts";
import { treeUsage, type TreeUsage } from "./tree-usage.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";

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
  const roots = records.flatMap(({ pmId, pid }) => (pid === null ? [] : [{ pmId, root: pid }]));
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
