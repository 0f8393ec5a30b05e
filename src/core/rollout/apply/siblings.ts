import type { ApplyPorts } from "./ports.ts";
import { SvcmError } from "../../api/errors.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";

import { isStopped, type StateOf } from "../../running/state.ts";
import { isFailing } from "../../running/failing.ts";
import { readStateOf } from "../../running/read-states.ts";

interface SiblingContext {
  readonly ports: ApplyPorts;
  readonly healthyPids: ReadonlyMap<number, number | null>;
}

/**
 * An instance that answers is not ended while another one of its app does not stay up: it may be the last one. The plan
 * repairs those first, so this concerns one that fails later.
 * @throws {SvcmError} PROCESS_ACTION_REFUSED with the code SIBLING_FAILING
 */
export async function requireHealthySiblings(
  { ports, healthyPids }: SiblingContext,
  names: readonly string[],
  target: ProcessRecord,
): Promise<void> {
  const nowMs = ports.clock.now();
  if (isStopped(target)) return;
  const siblings = (await ports.processes.list()).filter((one) => names.includes(one.name));
  const stateOf = await readStateOf(ports, [target, ...siblings]);
  if (isFailing(target, nowMs, stateOf)) return;
  const failing = siblings.find((one) => one.pmId !== target.pmId && hasFailed(one, { healthyPids, nowMs, stateOf }));
  if (failing === undefined) return;
  throw new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "SIBLING_FAILING",
    details: `${failing.name} (id ${failing.pmId}) does not stay up, so svcm does not end ${target.name} (id ${target.pmId}), which answers.`,
  });
}

function hasFailed(
  record: ProcessRecord,
  {
    healthyPids,
    nowMs,
    stateOf,
  }: Pick<SiblingContext, "healthyPids"> & { readonly nowMs: number; readonly stateOf: StateOf },
): boolean {
  const healthyPid = healthyPids.get(record.pmId);
  return isFailing(record, nowMs, stateOf) || (healthyPid !== undefined && healthyPid !== record.pid);
}
