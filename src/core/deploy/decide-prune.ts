import { type DeployRecord, isPrepared } from "./record.ts";

export interface PruneInput {
  /** Newest first. */
  readonly records: readonly DeployRecord[];
  readonly keep: number;
  readonly current: string | null;
  /** Folders of processes, of PM2's saved list, and of the next rollback. */
  readonly inUse: ReadonlySet<string>;
}

/** Only what records name is ever removed. `keep` counts releases that served; others go once nothing uses them. */
export function decidePrune({ records, keep, current, inUse }: PruneInput): string[] {
  const present = records.filter((record) => isPrepared(record) || record.state === "failed");
  const served = present.filter(({ state }) => state === "done");
  const kept = new Set(served.slice(0, keep).map(({ id }) => id));
  return present.map(({ id }) => id).filter((id) => !kept.has(id) && id !== current && !inUse.has(id));
}
