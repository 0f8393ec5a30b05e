import { compareText } from "../api/issue.ts";
import type { Plan, PlanReason, PlanStep } from "../api/rollout.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { isPm2Field } from "../pm2/pm2-fields.ts";
import {
  compareApps,
  groupBy,
  isStopped,
  pmIdsOf,
  type ComparedFacts,
  type Comparison,
  type Difference,
} from "./compare.ts";

/** The steps from what runs to what is declared, and what no step touches. */
export interface Decision extends Pick<Plan, "unchanged" | "undeclared"> {
  readonly steps: readonly DecidedStep[];
}

/** A step whose reasons name their processes. */
export interface DecidedStep extends Omit<PlanStep, "why"> {
  readonly why: readonly Difference[];
}

/**
 * Decides what makes the processes run as declared: each difference is the reason of one step. An app without a
 * difference has no step, so the plan of the result of these steps is empty.
 */
export function decide(facts: ComparedFacts): Decision {
  const compared = compareApps(facts);
  const declared = new Set(compared.map(({ app }) => app.name));
  const others = groupBy(
    facts.running.filter(({ name }) => !declared.has(name)),
    ({ name }) => name,
  );
  const steps = compared.flatMap(stepsOf).toSorted((a, b) => ORDER[a.do] - ORDER[b.do]);
  return {
    steps: steps.length === 0 ? [] : [...steps, SAVE],
    unchanged: compared.filter(({ differences }) => differences.length === 0).map(({ app }) => app.name),
    undeclared: [...others]
      .map(([name, processes]) => ({ name, pmIds: pmIdsOf(processes) }))
      .toSorted((a, b) => compareText(a.name, b.name)),
  };
}

/** A process that runs already is changed before another starts beside it. Within a rank, the order of the file holds. */
const ORDER = { update: 0, replace: 0, resume: 0, start: 1, scale: 2, remove: 3, save: 4 } as const satisfies Record<
  PlanStep["do"],
  number
>;

const SAVE: DecidedStep = { do: "save", app: "", pmIds: [], disruption: "none", why: [], notes: [] };

function stepsOf(comparison: Comparison): DecidedStep[] {
  const { app, instances, processes, differences } = comparison;
  if (differences.length === 0) return [];
  if (processes.length === 0)
    return [{ ...stepFor(comparison, "start", differences, []), instances: { from: 0, to: instances } }];
  if (differences.some((one) => needsReplacement(one))) return [replacement(comparison)];
  const scaled = differences.filter(({ field }) => field === "instances");
  const changed = differences.filter((one) => one.field !== "instances" && !isOnlyStopped(one));
  const ids = new Set(changed.flatMap(({ pmIds }) => pmIds));
  const updated = processes.filter(({ pmId }) => ids.has(pmId));
  const resumed = differences
    .filter(isOnlyStopped)
    .map((one) => ({ ...one, pmIds: one.pmIds.filter((pmId) => !ids.has(pmId)) }))
    .filter(({ pmIds }) => pmIds.length > 0);
  const stopped = processes.filter(({ pmId }) => resumed.some(({ pmIds }) => pmIds.includes(pmId)));
  return [
    ...(updated.length === 0 ? [] : [update(comparison, changed, updated)]),
    ...(stopped.length === 0 ? [] : [stepFor(comparison, "resume", resumed, stopped)]),
    ...(scaled.length === 0
      ? []
      : [{ ...stepFor(comparison, "scale", scaled, processes), instances: { from: processes.length, to: instances } }]),
  ].map((step) => ({ ...step, notes: [...step.notes, ...notesOf(app, step)] }));
}

/** Without the steps of apps that serve this request: such a step would end svcm before it finishes. */
export function withoutOwn(decision: Decision, own: readonly string[]): Decision & Pick<Plan, "leftOut"> {
  const kept = decision.steps.filter(({ app }) => !own.includes(app));
  const left = decision.steps.filter(({ app }) => own.includes(app));
  return {
    ...decision,
    steps: kept.every((step) => step.do === "save") ? [] : kept,
    leftOut: [...groupBy(left, ({ app }) => app)].map(([name, steps]) => ({
      name,
      pmIds: [...new Set(steps.flatMap(({ pmIds }) => pmIds))],
    })),
  };
}

function isOnlyStopped({ state }: PlanReason): boolean {
  return state === "stopped";
}

/** PM2 applies these to a new process alone, whatever its list shows after a restart. */
function needsReplacement({ field, state, key }: PlanReason): boolean {
  if (field === "execMode" || field === "watch") return true;
  // A variable with the name of a field has replaced that field in PM2's record.
  return field === "env" && state === "stale" && key !== null && isPm2Field(key);
}

function replacement(comparison: Comparison): DecidedStep {
  const { instances, processes, differences } = comparison;
  const step = stepFor(comparison, "replace", differences, processes);
  return {
    ...step,
    instances: { from: processes.length, to: instances },
    disruption: isAnyUp(processes) ? "gap" : "none",
  };
}

function update(comparison: Comparison, why: readonly Difference[], processes: readonly ProcessRecord[]): DecidedStep {
  const step = stepFor(comparison, "update", why, processes);
  if (processes[0]?.execMode === "cluster") return { ...step, method: "reload" };
  const isAlone = comparison.processes.filter((one) => !isStopped(one)).length < 2;
  return { ...step, method: "restart", disruption: isAnyUp(processes) ? (isAlone ? "gap" : "partial") : "none" };
}

function notesOf(app: Comparison["app"], { disruption, why }: DecidedStep): PlanStep["notes"][number][] {
  const isNode = /(?:^|\/)node$/.test(app.interpreter);
  const isIgnored = app.execMode === "cluster" && app.interpreter !== "node" && why.length > 0;
  return [
    ...(disruption === "gap" && app.execMode === "fork" && isNode ? (["GAP_BY_FORK"] as const) : []),
    ...(isIgnored ? (["INTERPRETER_IGNORED_IN_CLUSTER"] as const) : []),
  ];
}

function isAnyUp(processes: readonly ProcessRecord[]): boolean {
  return processes.some((record) => !isStopped(record));
}

function stepFor(
  { app }: Comparison,
  kind: PlanStep["do"],
  why: readonly Difference[],
  processes: readonly ProcessRecord[],
): DecidedStep {
  return { do: kind, app: app.name, pmIds: pmIdsOf(processes), disruption: "none", why, notes: [] };
}
