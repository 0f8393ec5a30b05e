import { compareText } from "../api/issue.ts";
import type { Plan, PlanReason, PlanStep } from "../api/rollout.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { groupBy } from "../words/record.ts";
import { type Comparison, type ComparisonInput, compareApps, needsReplacement } from "./compare.ts";
import { difference, pmIdsOf, type Difference, createAppStep, stepNames, type DecidedStep } from "./step.ts";
import { NOT_RUN_YET } from "../running/finite-state.ts";
import { isPassingDoubt, isStopped } from "../running/state.ts";
import { sharedPort } from "./expected.ts";
import { createFiniteSteps, holdBack, type HeldApp, applyRenames, findRenames, addRenameReason } from "./hold-back.ts";
import { addNotes } from "./notes.ts";

export interface Decision extends Pick<Plan, "unchanged" | "undeclared" | "unknown"> {
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
  /** Also restarts these apps, or those of which a part is unknown. */
  readonly restart?: Plan["choices"]["restart"];
}

/**
 * Decides how to make the processes run as declared: each difference is the reason of one step. An app without a
 * difference gets no step, so the plan after these steps is empty.
 */
export function decide(unrenamed: ComparisonInput, choices: DecideOptions = {}): Decision {
  const { preflighted = new Set(), owned = new Set(), requested = new Set(), restart } = choices;
  const { prune = false, isDumpStale = false } = choices;
  const renames = findRenames(unrenamed, owned);
  const input = applyRenames(unrenamed, renames);
  const compared = compareApps(input).map((one) => addRestart(addRenameReason(one, renames), restart));
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
    unchanged: compared
      .filter(({ differences, unknown }) => differences.length === 0 && unknown.length === 0)
      .map(({ app }) => app.name),
    unknown: compared.flatMap(({ unknown }) => remainingUnknown(unknown, steps)),
    undeclared: others
      .filter((one) => !removed.includes(one))
      .map(([name, processes]) => ({ name, pmIds: pmIdsOf(processes), owned: owned.has(name) })),
    held: parted.flatMap(({ held }) => (held === undefined ? [] : [held])),
  };
}

/** A step that restarts a process ends the doubt. */
function remainingUnknown(unknown: Comparison["unknown"], steps: readonly DecidedStep[]): Plan["unknown"] {
  const restarted = new Set(
    steps.filter(({ do: kind }) => kind === "update" || kind === "replace").flatMap(({ pmIds }) => pmIds),
  );
  return unknown
    .map(({ pmIds, ...one }) => ({ ...one, pmIds: pmIds.filter((pmId) => !restarted.has(pmId)) }))
    .filter(({ pmIds }) => pmIds.length > 0);
}

function addRestart(comparison: Comparison, restart: DecideOptions["restart"]): Comparison {
  const { app, processes, differences, unknown } = comparison;
  if (restart === undefined) return comparison;
  const running = processes.filter((record) => !isStopped(record));
  // A restart does not run what has ended, and puts off what starts.
  const uncertain = unknown.filter(({ reason }) => reason !== NOT_RUN_YET && !isPassingDoubt(reason));
  const requested =
    restart === true
      ? uncertain.map(({ part, pmIds, reason }) => difference(part, "requested", pmIds, { details: reason }))
      : restart.includes(app.name) && running.length > 0
        ? [difference("app", "requested", pmIdsOf(running))]
        : [];
  return { ...comparison, differences: [...differences, ...requested] };
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
  const starting = expected.filter(({ name }) => started.has(name));
  // It frees the port of an app that is started.
  const isFirst = (step: DecidedStep): boolean =>
    step.do === "remove" &&
    running.some((one) => one.name === step.app && starting.some((app) => sharedPort(app, one) !== undefined));
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
  const failing = failingIds(comparison);
  const repaired = processes.filter(({ pmId }) => failing.has(pmId));
  const updated = processes.filter(({ pmId }) => ids.has(pmId) && !failing.has(pmId));
  const resumed = differences
    .filter(isOnlyStopped)
    .map((one) => ({ ...one, pmIds: one.pmIds.filter((pmId) => !ids.has(pmId)) }))
    .filter(({ pmIds }) => pmIds.length > 0);
  const stopped = processes.filter(({ pmId }) => resumed.some(({ pmIds }) => pmIds.includes(pmId)));
  return [
    ...(repaired.length === 0 ? [] : [createRepair(comparison, changed, repaired)]),
    // The start of a stopped process ends none, and shows whether the code starts.
    ...(stopped.length === 0 ? [] : [createAppStep(comparison, "resume", resumed, stopped)]),
    ...(updated.length === 0 ? [] : [createUpdate(comparison, changed, updated)]),
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

function failingIds({ differences }: Comparison): ReadonlySet<number> {
  return new Set(differences.flatMap(({ state, pmIds }) => (state === "failing" ? pmIds : [])));
}

/** Of processes that answer nothing: they do not stay up, or have not loaded their code. */
function awayIds(comparison: Comparison): ReadonlySet<number> {
  const missing = comparison.differences.filter(({ field, state }) => field === "app" && state === "missing");
  return new Set([...failingIds(comparison), ...missing.flatMap(({ pmIds }) => pmIds)]);
}

/**
 * Runs before the step of the other instances, and keeps it from running if the process does not become healthy: they
 * may be the last ones that answer. A reload would wait for a process that does not stay up.
 */
function createRepair(
  comparison: Comparison,
  changed: readonly Difference[],
  processes: readonly ProcessRecord[],
): DecidedStep {
  const isAnswering = comparison.processes.some((one) => !isStopped(one) && !processes.includes(one));
  const step = createAppStep(comparison, "update", reasonsOf(changed, processes), processes);
  return { ...step, method: "restart", disruption: isAnswering ? "none" : "down" };
}

function reasonsOf(changed: readonly Difference[], processes: readonly ProcessRecord[]): Difference[] {
  return changed.filter(({ pmIds }) => processes.some(({ pmId }) => pmIds.includes(pmId)));
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
  changed: readonly Difference[],
  processes: readonly ProcessRecord[],
): DecidedStep {
  const step = createAppStep(comparison, "update", reasonsOf(changed, processes), processes);
  const method = processes[0]?.execMode === "cluster" ? "reload" : "restart";
  const away = awayIds(comparison);
  const serving = comparison.processes.filter((one) => !isStopped(one) && !away.has(one.pmId));
  if (serving.length === 0 && isAnyUp(processes)) return { ...step, method, disruption: "down" };
  if (method === "reload") return { ...step, method };
  const failing = failingIds(comparison);
  const isAlone = comparison.processes.filter((one) => !isStopped(one) && !failing.has(one.pmId)).length < 2;
  return { ...step, method, disruption: isAnyUp(processes) ? (isAlone ? "gap" : "partial") : "none" };
}

function isAnyUp(processes: readonly ProcessRecord[]): boolean {
  return processes.some((record) => !isStopped(record));
}
