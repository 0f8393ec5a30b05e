import { compareText } from "../api/issue.ts";
import type { Plan, PlanReason, PlanStep } from "../api/rollout.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { groupBy } from "../words/group-by.ts";
import {
  compareApps,
  difference,
  needsReplacement,
  pmIdsOf,
  type ComparisonInput,
  type Comparison,
  type Difference,
} from "./compare.ts";
import { isStopped } from "../running/state.ts";
import { createFiniteSteps } from "./finite-steps.ts";
import { holdBack, type HeldApp } from "./hold-back.ts";
import { addNotes } from "./notes.ts";
import { applyRenames, findRenames, addRenameReason } from "./renames.ts";
import { createAppStep, stepNames, type DecidedStep } from "./step.ts";

export interface Decision extends Pick<Plan, "unchanged" | "undeclared"> {
  readonly steps: readonly DecidedStep[];
  readonly held: readonly HeldApp[];
}

export interface DecideOptions {
  readonly preflighted?: ReadonlySet<string>;
  readonly owned?: ReadonlySet<string>;
  /** Apps that the request names: a stopped one is started again. */
  readonly requested?: ReadonlySet<string>;
  readonly prune?: boolean;
  /** PM2's list for the next boot is older than the last apply. */
  readonly isDumpStale?: boolean;
}

/**
 * Decides how to make the processes run as declared: each difference is the reason of one step. An app without a
 * difference gets no step, so the plan after these steps is empty.
 */
export function decide(unrenamed: ComparisonInput, choices: DecideOptions = {}): Decision {
  const {
    preflighted = new Set(),
    owned = new Set(),
    requested = new Set(),
    prune = false,
    isDumpStale = false,
  } = choices;
  const renames = findRenames(unrenamed, owned);
  const input = applyRenames(unrenamed, renames);
  const compared = compareApps(input).map((one) => addRenameReason(one, renames));
  const parted = compared.map((one) => holdBack(one, input, requested.has(one.app.name)));
  const declared = new Set(compared.map(({ app }) => app.name));
  const others = [
    ...groupBy(
      input.running.filter(({ name }) => !declared.has(name)),
      ({ name }) => name,
    ),
  ].toSorted(([a], [b]) => compareText(a, b));
  const removed = prune ? others.filter(([name]) => owned.has(name)) : [];
  const changes = [
    ...parted.flatMap(({ acting }) => createAppSteps(acting)),
    ...removed.map((one) => createRemoval(one)),
  ];
  const steps = sortSteps(changes, input).flatMap((step) => addNotes(step, input, preflighted));
  const save = steps.length > 0 ? [SAVE_STEP] : isDumpStale ? [{ ...SAVE_STEP, notes: ["DUMP_STALE"] as const }] : [];
  return {
    steps: [...steps.filter(isPreflight), ...steps.filter((step) => !isPreflight(step)), ...save],
    unchanged: compared.filter(({ differences }) => differences.length === 0).map(({ app }) => app.name),
    undeclared: others
      .filter((one) => !removed.includes(one))
      .map(([name, processes]) => ({ name, pmIds: pmIdsOf(processes), owned: owned.has(name) })),
    held: parted.flatMap(({ held }) => (held === undefined ? [] : [held])),
  };
}

const isPreflight = (step: DecidedStep): boolean => step.do === "preflight";

/** A running process is changed before another one is started. Within a rank, steps are in file order. */
const STEP_RANKS = {
  preflight: 0,
  update: 0,
  replace: 0,
  resume: 0,
  register: 1,
  start: 1,
  scale: 2,
  remove: 3,
  save: 4,
} as const satisfies Record<PlanStep["do"], number>;

function sortSteps(steps: readonly DecidedStep[], { expected, running }: ComparisonInput): DecidedStep[] {
  const started = new Set(steps.filter((step) => step.do === "start").map(({ app }) => app));
  const needed = new Set(expected.filter(({ name }) => started.has(name)).map(({ httpPort }) => httpPort));
  // It frees the port of an app that is started.
  const isFirst = (step: DecidedStep): boolean =>
    step.do === "remove" &&
    running.some(({ name, httpPort }) => name === step.app && httpPort !== null && needed.has(httpPort));
  const rankOf = (step: DecidedStep): number => (isFirst(step) ? -1 : STEP_RANKS[step.do]);
  return steps.toSorted((a, b) => rankOf(a) - rankOf(b));
}

const SAVE_STEP: DecidedStep = { do: "save", app: "", pmIds: [], disruption: "none", why: [], notes: [] };

function createRemoval([app, processes]: readonly [string, readonly ProcessRecord[]]): DecidedStep {
  const why = difference("app", "unexpected", pmIdsOf(processes));
  const disruption = isAnyUp(processes) ? "down" : "none";
  return { do: "remove", app, pmIds: pmIdsOf(processes), disruption, why: [why], notes: [] };
}

function createAppSteps(comparison: Comparison): DecidedStep[] {
  const { instances, processes, differences } = comparison;
  if (differences.length === 0) return [];
  const finite = createFiniteSteps(comparison);
  if (finite !== undefined) return finite;
  if (processes.length === 0)
    return [{ ...createAppStep(comparison, "start", differences, []), instances: { from: 0, to: instances } }];
  if (differences.some((one) => needsReplacement(one))) return [createReplacement(comparison)];
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
    ...(updated.length === 0 ? [] : [createUpdate(comparison, changed, updated)]),
    ...(stopped.length === 0 ? [] : [createAppStep(comparison, "resume", resumed, stopped)]),
    ...(scaled.length === 0
      ? []
      : [
          {
            ...createAppStep(comparison, "scale", scaled, processes),
            instances: { from: processes.length, to: instances },
          },
        ]),
  ];
}

/** A step of these apps would end svcm before it has finished. */
export function leaveOutOwn(decision: Decision, own: readonly string[]): Decision & Pick<Plan, "leftOut"> {
  const isOwn = (step: DecidedStep): boolean => stepNames(step).some((name) => own.includes(name));
  const others = decision.steps.filter((step) => !isOwn(step));
  const leftOut = decision.steps.filter(isOwn);
  return {
    ...decision,
    steps: leftOut.length > 0 && others.every((step) => step.do === "save") ? [] : others,
    leftOut: [...groupBy(leftOut, ({ app }) => app)].map(([name, steps]) => ({
      name,
      pmIds: [...new Set(steps.flatMap(({ pmIds }) => pmIds))],
    })),
  };
}

function isOnlyStopped({ state }: PlanReason): boolean {
  return state === "stopped";
}

function createReplacement(comparison: Comparison): DecidedStep {
  const { instances, processes, differences } = comparison;
  const step = createAppStep(comparison, "replace", differences, processes);
  return {
    ...step,
    instances: { from: processes.length, to: instances },
    disruption: isAnyUp(processes) ? "gap" : "none",
  };
}

function createUpdate(
  comparison: Comparison,
  why: readonly Difference[],
  processes: readonly ProcessRecord[],
): DecidedStep {
  const step = createAppStep(comparison, "update", why, processes);
  if (processes[0]?.execMode === "cluster") return { ...step, method: "reload" };
  const isAlone = comparison.processes.filter((one) => !isStopped(one)).length < 2;
  return { ...step, method: "restart", disruption: isAnyUp(processes) ? (isAlone ? "gap" : "partial") : "none" };
}

function isAnyUp(processes: readonly ProcessRecord[]): boolean {
  return processes.some((record) => !isStopped(record));
}
