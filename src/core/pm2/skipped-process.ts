import type { ProcessRecord } from "./process-record.ts";
export type SkipReason = "SELF_ACTION_BLOCKED" | "ALREADY_RUNNING" | "ALREADY_STOPPED" | "JOB_WAITS";

export interface SkippedProcess {
  readonly name: string;
  readonly pmId: number;
  readonly namespace: string;
  readonly reason: SkipReason;
}

export function toSkipped({ name, pmId, namespace }: ProcessRecord, reason: SkipReason): SkippedProcess {
  return { name, pmId, namespace, reason };
}
