import type { ApplyPorts } from "../apply/ports.ts";
import type { SkippedProcess } from "../../pm2/skipped-process.ts";
import type { InputOf } from "../../api/inputs.ts";
import type { Issue } from "../../api/issue.ts";
import type { DriftEntry } from "../../api/drift.ts";
import type { ProcessAction, ProcessScope } from "../../api/names.ts";

import type { NextRun } from "../../pm2/port-processes.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";

export type ActionInput = InputOf<"process.act"> & { readonly scope: ProcessScope };

export interface ActionContext {
  readonly ports: ApplyPorts;
  readonly action: ProcessAction;
  /** Records the action before its first effect; further calls do nothing. */
  readonly begin: () => Promise<void>;
  readonly timeoutMs?: number | undefined;
  readonly stableMs?: number | undefined;
  readonly nextRun?: ((record: ProcessRecord) => NextRun) | undefined;
  /** A reload fails as soon as its new run fails, while PM2 still keeps the old run. */
  readonly reloadWatch?: ReloadWatch | undefined;
  /** Runs before another svcm process may act on the process. */
  readonly checkHealth?: ((affected: readonly AffectedProcess[]) => Promise<void>) | undefined;
}

export interface ReloadWatch {
  readonly observe: (now: ProcessRecord) => Promise<void>;
  /** Gets PM2's pending response if the reload has already failed. */
  readonly onPendingReload: (target: ProcessRecord, answer: Promise<unknown>) => void;
}

export type ReadRecord = () => Promise<ProcessRecord>;

export interface AffectedProcess {
  readonly name: string;
  readonly pmId: number;
  readonly namespace: string;
  readonly pid: number | null;
  readonly status: string;
}

export interface Outcome {
  readonly affected: readonly AffectedProcess[];
  readonly skipped: readonly SkippedProcess[];
}

export interface Step {
  readonly label: string;
  /** Steps of one app run in sequence and stop at the first failure. */
  readonly app?: string;
  readonly run: () => Promise<Outcome>;
}

export interface Steps {
  readonly name: string;
  readonly create: (acting: ActionContext) => Step[];
  readonly skipped: readonly SkippedProcess[];
  readonly readEffect: () => Promise<Effect>;
}

export interface AppliedField {
  readonly name: string;
  readonly field: DriftEntry["field"];
  readonly key: string | null;
}

export interface Effect {
  readonly applied?: readonly AppliedField[];
  readonly warnings: readonly Issue[];
}

export function toAffected({ name, pmId, namespace, pid, status }: ProcessRecord): AffectedProcess {
  return { name, pmId, namespace, pid, status };
}

export function mergeOutcomes(outcomes: readonly Outcome[]): Outcome {
  return {
    affected: outcomes.flatMap((outcome) => outcome.affected),
    skipped: outcomes.flatMap((outcome) => outcome.skipped),
  };
}
