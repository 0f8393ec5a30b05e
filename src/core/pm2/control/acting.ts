import type { InputOf } from "../../api/inputs.ts";
import type { Issue } from "../../api/issue.ts";
import type { DriftEntry } from "../../api/metrics.ts";
import type { ProcessAction, ProcessScope } from "../../api/names.ts";
import type { Ports } from "../../ports/index.ts";
import type { NextRun } from "../../ports/processes.ts";
import type { ProcessRecord } from "../process-record.ts";

export type ActionInput = InputOf<"process.act"> & { readonly scope: ProcessScope };

export interface Acting {
  readonly ports: Ports;
  readonly action: ProcessAction;
  /** Records the action in the audit log. Called before the first effect; later calls do nothing. */
  readonly begin: () => Promise<void>;
  /** The time that PM2's list has to show the effect, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** The time that a started process has to be online, in milliseconds. Defaults to that of PM2. */
  readonly stableMs?: number | undefined;
  /** The declaration, or the former definition, that a restart or reload makes effective. */
  readonly declared?: ((record: ProcessRecord) => NextRun) | undefined;
  /** A reload with this fails as soon as its new run is bad, while PM2 still keeps the former run. */
  readonly meanwhile?: Meanwhile | undefined;
  /** Judges the effect before another svcm may act on the process. @throws {SvcmError} */
  readonly judge?: ((affected: readonly AffectedProcess[]) => Promise<void>) | undefined;
}

export interface Meanwhile {
  /** Called with the new run of a process that PM2 reloads. @throws {SvcmError} if the run is bad */
  readonly look: (now: ProcessRecord) => Promise<void>;
  /** Called with the answer that PM2 owes when the reload has failed before. */
  readonly owed: (target: ProcessRecord, answer: Promise<unknown>) => void;
}

/** The process in PM2's list as it is now. @throws {SvcmError} PM2_FAILED if PM2 no longer lists it */
export type Look = () => Promise<ProcessRecord>;

export type SkipReason = "SELF_ACTION_BLOCKED" | "ALREADY_RUNNING" | "ALREADY_STOPPED";

export interface AffectedProcess {
  readonly name: string;
  readonly pmId: number;
  readonly namespace: string;
  readonly pid: number | null;
  readonly status: string;
}

export interface SkippedProcess {
  readonly name: string;
  readonly pmId: number;
  readonly namespace: string;
  readonly reason: SkipReason;
}

export interface Outcome {
  readonly affected: readonly AffectedProcess[];
  readonly skipped: readonly SkippedProcess[];
}

export interface Step {
  readonly label: string;
  /** Steps of one app run one after another, and the first that fails is the last. */
  readonly app?: string;
  readonly run: () => Promise<Outcome>;
}

export interface Steps {
  readonly name: string;
  readonly of: (acting: Acting) => Step[];
  /** Processes that are left alone from the start. */
  readonly skipped: readonly SkippedProcess[];
  readonly after: () => Promise<Effect>;
}

export interface AppliedField {
  readonly name: string;
  readonly field: DriftEntry["field"];
  /** The variable, if the field is `env`. */
  readonly key: string | null;
}

export interface Effect {
  readonly applied?: readonly AppliedField[];
  readonly warnings: readonly Issue[];
}

export function affected({ name, pmId, namespace, pid, status }: ProcessRecord): AffectedProcess {
  return { name, pmId, namespace, pid, status };
}

export function skipped({ name, pmId, namespace }: ProcessRecord, reason: SkipReason): SkippedProcess {
  return { name, pmId, namespace, reason };
}

export function merged(outcomes: readonly Outcome[]): Outcome {
  return {
    affected: outcomes.flatMap((outcome) => outcome.affected),
    skipped: outcomes.flatMap((outcome) => outcome.skipped),
  };
}
