import type { ApplyPorts } from "../apply/ports.ts";
import type { SkippedProcess } from "../../pm2/skipped-process.ts";
import type { InputOf } from "../../api/inputs.ts";
import type { Issue } from "../../api/issue.ts";
import type { DriftEntry } from "../../api/drift.ts";
import type { ProcessAction, ProcessScope } from "../../api/names.ts";
import type { NextRun, ProcessName } from "../../pm2/port-processes.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { HasWorkspace } from "../../project/port-repository.ts";
import type { Attempt, AuditSubject } from "../../access/with-audit.ts";

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

export interface AffectedProcess extends ProcessName {
  readonly pid: number | null;
}

export interface Outcome {
  readonly affected: readonly AffectedProcess[];
  readonly skipped: readonly SkippedProcess[];
}

export interface Act {
  readonly label: string;
  /** Acts of one app run in sequence and stop at the first failure. */
  readonly app?: string;
  readonly run: () => Promise<Outcome>;
}

export interface Acts {
  readonly name: string;
  readonly create: (acting: ActionContext) => Act[];
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

export function createActionSubject(input: InputOf<"process.act">): AuditSubject {
  const { action, scope = "process", namespace } = input;
  const requested = scope === "namespace" ? (namespace ?? input.name) : describeProcesses(input);
  const target = scope === "process" ? requested : `${scope} ${requested ?? "*"}`;
  return { action: `process.${action}`, ...(target !== undefined && { target }) };
}

function describeProcesses({ name, pmId, names = [], pmIds = [] }: InputOf<"process.act">): string | undefined {
  const numbers = [...(pmId === undefined || name !== undefined ? [] : [pmId]), ...pmIds];
  const all = [...(name === undefined ? [] : [name]), ...names, ...numbers.map((number) => `id ${number}`)];
  return all.length === 0 ? undefined : all.join(", ");
}

export type NamedProcess = { readonly name: string; readonly pmId: number | null };

export function noteProcesses(
  { note }: Attempt,
  { workspace }: HasWorkspace,
  processes: readonly NamedProcess[],
): void {
  note({ processes: processes.map(({ name, pmId }) => ({ name, pmId, pm2Home: workspace.pm2Home })) });
}

export function noteOutcome(
  attempt: Attempt,
  ports: HasWorkspace,
  { affected, skipped }: { readonly affected: readonly AffectedProcess[]; readonly skipped: readonly SkippedProcess[] },
): void {
  noteProcesses(
    attempt,
    ports,
    [...affected, ...skipped].toSorted((a, b) => a.pmId - b.pmId),
  );
  const [first] = skipped;
  if (affected.length === 0 && first !== undefined) attempt.note({ code: first.reason });
}
