import type { Progress } from "../../caller.ts";
import { SvcmError } from "../../errors.ts";
import type { ProcessRecord } from "../process-record.ts";
import { actOn } from "./act-on.ts";
import { affected, type Acting, type AffectedProcess } from "./acting.ts";
import { withoutOwn } from "./own-processes.ts";
import { label } from "./target.ts";
import { isRunning, UNKNOWN_BEFORE, verdictOn } from "./verdict.ts";
import { verify } from "./verify.ts";

type Scaling = Pick<Acting, "ports" | "timeoutMs" | "stableMs" | "begin"> & { readonly report: Progress | undefined };

export async function scaleUp(
  scaling: Scaling,
  siblings: readonly ProcessRecord[],
  count: number,
): Promise<AffectedProcess[]> {
  const source = siblings.find(isRunning) ?? siblings[0];
  const started: AffectedProcess[] = [];
  if (source === undefined) return started;
  while (started.length < count) {
    const fresh = await startSibling(scaling, source);
    started.push(affected(fresh));
    scaling.report?.({ done: started.length, total: count, label: label(fresh) });
  }
  return started;
}

export async function scaleDown(
  scaling: Scaling,
  siblings: readonly ProcessRecord[],
  count: number,
): Promise<AffectedProcess[]> {
  const newest = siblings.toSorted((a, b) => b.pmId - a.pmId).slice(0, count);
  withoutOwn(scaling.ports, "delete", newest, false);
  const deleted: AffectedProcess[] = [];
  for (const record of newest) {
    deleted.push(...(await actOn({ ...scaling, action: "delete" }, record)).affected);
    scaling.report?.({ done: deleted.length, total: count, label: label(record) });
  }
  return deleted.toSorted((a, b) => a.pmId - b.pmId);
}

async function startSibling(scaling: Scaling, source: ProcessRecord): Promise<ProcessRecord> {
  const { ports, timeoutMs, stableMs } = scaling;
  const isSibling = ({ name, namespace }: ProcessRecord): boolean =>
    name === source.name && namespace === source.namespace;
  const known = await ports.processes.withLock(source, async () => {
    const ids = new Set((await ports.processes.list()).map(({ pmId }) => pmId));
    await scaling.begin();
    await ports.processes.duplicate(source);
    return ids;
  });
  const freshIn = (list: readonly ProcessRecord[]): ProcessRecord | undefined =>
    list.find((record) => isSibling(record) && !known.has(record.pmId));
  try {
    const [fresh] = await verify(ports, { action: "start", name: source.name, timeoutMs }, (list, onlineMs) => {
      const seen = freshIn(list);
      if (seen === undefined) return { processes: [], verdict: { failed: "it registered no process" } };
      return { processes: [seen], verdict: verdictOn("start", UNKNOWN_BEFORE, seen, onlineMs(seen), stableMs) };
    });
    if (fresh === undefined) throw new Error("a verified start has a process");
    return fresh;
  } catch (error) {
    const failed = error instanceof SvcmError ? freshIn(await ports.processes.list()) : undefined;
    if (failed !== undefined) await actOn({ ...scaling, action: "delete" }, failed);
    throw error;
  }
}
