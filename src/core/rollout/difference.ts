import type { PlanReason } from "../api/rollout.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";

export interface Difference extends PlanReason {
  readonly pmIds: readonly number[];
}

export function difference(
  field: Difference["field"],
  state: Difference["state"],
  pmIds: readonly number[],
  more: Partial<Difference> = {},
): Difference {
  return { field, state, key: null, declared: null, running: null, pmIds, ...more };
}

export function pmIdsOf(processes: readonly ProcessRecord[]): number[] {
  return processes.map(({ pmId }) => pmId).toSorted((a, b) => a - b);
}
