import type { Plan } from "../api/rollout.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { appKind } from "../running/verdict.ts";
import { isAtRest } from "../running/state.ts";
import { needsReplacement, type Comparison } from "./compare.ts";
import { pmIdsOf, type Difference, createAppStep, type DecidedStep } from "./step.ts";
import type { ComparisonInput } from "./comparison-input.ts";

export type HeldApp = Plan["held"][number] & { readonly why: readonly Difference[] };

interface Parted {
  /** Without the differences of processes that no step may touch. */
  readonly acting: Comparison;
  readonly held: HeldApp | undefined;
}

/**
 * A service that a user stopped stays stopped until a request names it. A task that failed is not run again either: its
 * failure would return the other apps. A job that runs now is not ended for a new definition.
 */
export function holdBack(comparison: Comparison, input: ComparisonInput, isRequested: boolean): Parted {
  const { processes, differences } = comparison;
  const { held, isRunning } = findHeld(comparison, input, isRequested);
  const [first] = held;
  if (first === undefined) return { acting: comparison, held: undefined };
  const isWhole = isRunning || differences.some((one) => needsReplacement(one)) || held.length === processes.length;
  const ids = pmIdsOf(isWhole ? processes : held);
  const split = differences.map((one) => ({ ...one, pmIds: one.pmIds.filter((pmId) => !ids.includes(pmId)) }));
  return {
    acting: { ...comparison, differences: isWhole ? [] : split.filter(({ pmIds }) => pmIds.length > 0) },
    held: {
      name: comparison.app.name,
      pmIds: ids,
      ...describe(comparison, first, input),
      why: differences
        .map((one) => ({ ...one, pmIds: one.pmIds.filter((pmId) => ids.includes(pmId)) }))
        .filter(({ pmIds }) => pmIds.length > 0),
    },
  };
}

interface Held {
  readonly held: readonly ProcessRecord[];
  readonly isRunning: boolean;
}

function findHeld(comparison: Comparison, input: ComparisonInput, isRequested: boolean): Held {
  const { kind, processes, differences } = comparison;
  if (differences.length === 0) return { held: [], isRunning: false };
  const running = kind === "job" ? processes.filter(isRunningJob) : [];
  if (running.length > 0) return { held: running, isRunning: true };
  if (isRequested || kind === "job") return { held: [], isRunning: false };
  // With a new definition as well, PM2 takes that one without a run.
  const mayHaveFailed = kind === "task" && differences.every(({ state }) => state === "stopped");
  const isHeld = (record: ProcessRecord): boolean => {
    const { stop, name } = input.stateOf(record, kind);
    return stop !== undefined || (mayHaveFailed && name === "failed");
  };
  return { held: processes.filter(isHeld), isRunning: false };
}

/** A service that became a job is not one yet. */
function isRunningJob(record: ProcessRecord): boolean {
  return !isAtRest(record) && record.pid !== null && appKind(record.declaration.settings) === "job";
}

function describe(
  { kind }: Comparison,
  record: ProcessRecord,
  { stateOf }: ComparisonInput,
): Pick<HeldApp, "state" | "by" | "since"> {
  const { stop, name } = stateOf(record, kind);
  const sinceMs = stop?.atMs ?? record.startedAt ?? record.lastStartAt;
  return {
    state: name === "failed" ? name : stop === undefined ? "running" : "stopped",
    by: stop === undefined ? null : stop.isSvcm ? (stop.actor ?? "svcm") : null,
    since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
  };
}

/**
 * PM2 takes the definition of a job without a run: at its next time, the schedule starts it. A task that has ended is
 * not run again for a new definition either. Returns `undefined` if the steps of a service are right.
 */
export function createFiniteSteps(comparison: Comparison): DecidedStep[] | undefined {
  const { kind, processes, differences, instances } = comparison;
  if (kind === "service") return undefined;
  if (kind === "task" && (processes.length === 0 || !processes.every(isAtRest))) return undefined;
  if (kind === "task" && differences.every(({ state }) => state === "stopped")) return undefined;
  const step = createAppStep(comparison, "register", differences, processes);
  const endsService = processes.some((one) => !isAtRest(one) && appKind(one.declaration.settings) === "service");
  return [
    {
      ...step,
      pmIds: pmIdsOf(processes),
      instances: { from: processes.length, to: instances },
      disruption: endsService ? "down" : "none",
    },
  ];
}
