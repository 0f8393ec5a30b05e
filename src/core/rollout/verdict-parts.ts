import type { UnknownPart } from "../api/drift.ts";
import { runningParts } from "../api/names.ts";
import type { PlanReason } from "../api/rollout.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Verdict, Verdicts } from "../running/verdict.ts";
import { groupBy } from "../words/lists.ts";

const EXAMINED = ["code", "values"] as const;

export interface VerdictDifference extends PlanReason {
  readonly pmIds: readonly number[];
}

export function verdictDifferences({ pmId }: Pick<ProcessRecord, "pmId">, verdicts: Verdicts): VerdictDifference[] {
  return EXAMINED.flatMap((field) => {
    const verdict = verdicts[field]?.get(pmId);
    if (verdict?.verdict !== "changed") return [];
    return verdict.reasons.map(({ key = null, declared = null, running = null, ...reason }) => ({
      field,
      ...reason,
      key,
      declared,
      running,
      pmIds: [pmId],
    }));
  });
}

/** Processes with the same reason share an entry. */
export function unknownParts(
  app: string,
  processes: readonly ProcessRecord[],
  verdicts: Verdicts,
  doubtOf: (record: ProcessRecord) => string | undefined,
): UnknownPart[] {
  return runningParts.flatMap((part) => {
    const unknown = processes.flatMap((record) => {
      const reason = part === "state" ? doubtOf(record) : unknownReason(verdicts[part]?.get(record.pmId));
      return reason === undefined ? [] : [{ pmId: record.pmId, reason }];
    });
    return [...groupBy(unknown, ({ reason }) => reason)].map(([reason, alike]) => ({
      app,
      pmIds: alike.map(({ pmId }) => pmId).toSorted((a, b) => a - b),
      part,
      reason,
    }));
  });
}

function unknownReason(verdict: Verdict | undefined): string | undefined {
  return verdict?.verdict === "unknown" ? verdict.reason : undefined;
}
