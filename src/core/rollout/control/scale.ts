import type { Progress } from "../../access/operation.ts";
import { SvcmError } from "../../api/errors.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { isFailing } from "../../running/symptoms.ts";
import { readStateOf } from "../../running/read-states.ts";
import { actOn } from "./act-on.ts";
import { toAffected, type ActionContext, type AffectedProcess } from "./action.ts";
import { separateOwn, processLabel } from "../../pm2/target.ts";
import { isRunning, NO_PREVIOUS_RUN, judge, verify } from "./verify.ts";

type ScaleContext = Pick<ActionContext, "ports" | "timeoutMs" | "stableMs" | "begin"> & {
  readonly report: Progress | undefined;
};

export async function scaleUp(
  context: ScaleContext,
  siblings: readonly ProcessRecord[],
  count: number,
): Promise<AffectedProcess[]> {
  const source = siblings.find(isRunning) ?? siblings[0];
  const started: AffectedProcess[] = [];
  if (source === undefined) return started;
  while (started.length < count) {
    const added = await startSibling(context, source);
    started.push(toAffected(added));
    context.report?.({ done: started.length, total: count, label: processLabel(added) });
  }
  return started;
}

export async function scaleDown(
  context: ScaleContext,
  siblings: readonly ProcessRecord[],
  count: number,
): Promise<AffectedProcess[]> {
  const nowMs = context.ports.clock.now();
  const stateOf = await readStateOf(context.ports, siblings);
  const rank = (record: ProcessRecord): number => Number(isRunning(record) && !isFailing(record, nowMs, stateOf));
  // Those that do not serve first, then the newest.
  const extra = siblings.toSorted((a, b) => rank(a) - rank(b) || b.pmId - a.pmId).slice(0, count);
  separateOwn(context.ports, "delete", extra, false);
  const deleted: AffectedProcess[] = [];
  for (const record of extra) {
    deleted.push(...(await actOn({ ...context, action: "delete" }, record)).affected);
    context.report?.({ done: deleted.length, total: count, label: processLabel(record) });
  }
  return deleted.toSorted((a, b) => a.pmId - b.pmId);
}

async function startSibling(context: ScaleContext, source: ProcessRecord): Promise<ProcessRecord> {
  const { ports, timeoutMs, stableMs } = context;
  const isSibling = ({ name, namespace }: ProcessRecord): boolean =>
    name === source.name && namespace === source.namespace;
  const knownIds = await ports.processes.withLock(source, async () => {
    const ids = new Set((await ports.processes.list()).map(({ pmId }) => pmId));
    await context.begin();
    await ports.processes.duplicate(source);
    return ids;
  });
  const findNew = (list: readonly ProcessRecord[]): ProcessRecord | undefined =>
    list.find((record) => isSibling(record) && !knownIds.has(record.pmId));
  try {
    const [added] = await verify(ports, { action: "start", name: source.name, timeoutMs }, (list, onlineMs) => {
      const found = findNew(list);
      if (found === undefined) return { processes: [], verdict: { failed: "it registered no process" } };
      return { processes: [found], verdict: judge("start", NO_PREVIOUS_RUN, found, onlineMs(found), stableMs) };
    });
    if (added === undefined) throw new Error("a verified start has a process");
    return added;
  } catch (error) {
    const failed = error instanceof SvcmError ? findNew(await ports.processes.list()) : undefined;
    if (failed !== undefined) await actOn({ ...context, action: "delete" }, failed);
    throw error;
  }
}
