import type { ApplyPorts } from "../ports.ts";
import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../api/errors.ts";
import { actOn } from "../control/act-on.ts";
import { isUp } from "../control/verify.ts";
import type { ActionContext, AffectedProcess, ReloadWatch } from "../control/action.ts";
import { scaleDown, scaleUp } from "../control/scale.ts";
import { registerDeclared, waitUntilAtRest, startDeclared } from "../control/start-declared.ts";
import { declarationsOf, type Declaration } from "../../pm2/declared.ts";
import type { LoadedEcosystem } from "../../pm2/loaded.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { DeclaredRun } from "../../pm2/port-processes.ts";
import { appKind } from "../../running/code-evidence.ts";
import { isStopped, type StateOf } from "../../running/state.ts";
import type { FormerProcess } from "../release.ts";
import { stepNames, type DecidedStep } from "../step.ts";
import type { ExpectContext } from "../expected.ts";
import { definitionText } from "../plan.ts";
import { HealthGate, requireLoaded, type HealthRequirement } from "./gate.ts";
import { preflight } from "./preflight.ts";
import { stopCrashLoop } from "./revert-apps.ts";
import { isFailing } from "../../running/symptoms.ts";
import { type Circumstances, readListeners } from "../../running/read-serving.ts";
import { listOrEmpty } from "../../pm2/list.ts";
import { readStateOf } from "../../running/read-states.ts";

interface StepContext {
  readonly ports: ApplyPorts;
  readonly loaded: LoadedEcosystem;
  readonly expecting: ExpectContext;
  readonly running: readonly ProcessRecord[];
  readonly before: readonly FormerProcess[];
  readonly requirementOf: (app: string) => HealthRequirement;
  /** Takes a pending response of PM2 that a failed step did not wait for. */
  readonly onPendingReload: ReloadWatch["onPendingReload"];
  readonly onBoot: (app: string, bootMs: number) => void;
  /** Of each process that became healthy in this apply, by PM2's number. */
  readonly healthy: Map<number, Healthy>;
}

/** In this apply. */
export interface Healthy {
  readonly pid: number | null;
  readonly atMs: number;
}

/**
 * Each must be the process that the plan was computed from, with the same definition.
 * @throws {SvcmError} PM2_FAILED with the code `PROCESS_CHANGED`
 */
export async function findTargets(
  { ports, running }: StepContext,
  { do: kind, pmIds }: Pick<DecidedStep, "do" | "pmIds">,
): Promise<ProcessRecord[]> {
  // An earlier step may have changed the processes of an app that is scaled.
  if (pmIds.length === 0 || kind === "scale") return [];
  const { list } = await ports.processes.withHomeKey();
  const now = await list();
  return pmIds.flatMap((pmId) => {
    const planned = running.find((record) => record.pmId === pmId);
    const found = now.find((record) => record.pmId === pmId);
    if (kind === "remove" && found === undefined) return [];
    if (found !== undefined && planned !== undefined && definitionText(found) === definitionText(planned)) return found;
    throw new SvcmError("PROCESS_ACTION_REFUSED", {
      code: "PROCESS_CHANGED",
      details: `The process with PM2's number ${pmId} changed after the plan was computed.`,
      hint: "Read the new plan: svcm plan",
    });
  });
}

/**
 * Process by process, each online and past its probe.
 * @throws {SvcmError} PREFLIGHT_FAILED, and the errors of the actions and the gate
 */
export async function runStep(
  context: StepContext,
  step: DecidedStep,
  targets: readonly ProcessRecord[],
): Promise<void> {
  if (step.do === "save") return context.ports.processes.saveList();
  if (step.do === "scale") return scaleApp(context, step);
  const { loaded, expecting } = context;
  if (step.do === "remove") return removeProcesses(context, step, targets);
  const declared = declarationsOf(loaded, expecting)(step.app);
  if (step.do === "preflight") return preflight(context.ports, declared, context.requirementOf(step.app));
  const run = {
    app: { ...declared.apps.at(-1), env: declared.env },
    folder: declared.folder,
    drop: droppedVariables(step),
  };
  for (const target of stoppedFirst(targets)) {
    if (step.do === "update") await updateProcess(context, step, run, target);
    else if (step.do === "resume") await startChecked(context, step, (starting) => actOn(starting, target));
  }
  if (step.do === "register") return registerApp(context, step, targets, declared);
  if (step.do === "replace") await removeProcesses(context, step, targets);
  if (step.do === "start" || step.do === "replace")
    await startChecked(context, step, (starting) => startDeclared(starting, declared));
}

/** Their start ends no process, and shows whether the declaration works. */
function stoppedFirst(targets: readonly ProcessRecord[]): ProcessRecord[] {
  return targets.toSorted((a, b) => Number(isStopped(b)) - Number(isStopped(a)));
}

/** A run that the schedule has begun since the plan is not ended. */
async function registerApp(
  context: StepContext,
  step: DecidedStep,
  targets: readonly ProcessRecord[],
  declared: Declaration,
): Promise<void> {
  const { ports, requirementOf } = context;
  const jobs = targets.filter(({ declaration }) => appKind(declaration.settings) === "job");
  await waitUntilAtRest(ports, jobs, requirementOf(step.app).deadlineMs);
  await removeProcesses(context, step, targets);
  await registerDeclared(ports, declared);
}

async function removeProcesses(
  context: StepContext,
  { app }: DecidedStep,
  targets: readonly ProcessRecord[],
): Promise<void> {
  for (const target of targets) await actOn(createActionContext(context, app, "delete"), target);
}

/** The gate checks how long a process stays online, so the action itself ends as soon as it is online. */
function createActionContext({ ports, requirementOf }: StepContext, app: string, action: ProcessAction): ActionContext {
  return { ports, action, begin: () => Promise.resolve(), timeoutMs: requirementOf(app).deadlineMs, stableMs: 0 };
}

async function updateProcess(
  context: StepContext,
  step: DecidedStep,
  run: DeclaredRun,
  planned: ProcessRecord,
): Promise<void> {
  const { app, method = "restart" } = step;
  await requireHealthySiblings(context, stepNames(step), planned);
  const isKnown = step.why.some(({ state, pmIds }) => state === "failing" && pmIds.includes(planned.pmId));
  const target = isKnown ? await stopCrashLoop(createActionContext(context, app, "stop"), planned, isKnown) : planned;
  const requirement = requirementNow(context, app);
  const gate = new HealthGate(context.ports, requirement);
  const { ports, before, onPendingReload } = context;
  const listeners = await readListeners(ports);
  const isUndoubted = before.some((former) => former.pmId === planned.pmId && former.isUndoubted === true);
  await actOn(
    {
      ...createActionContext(context, app, method),
      nextRun: () => run,
      reloadWatch: { observe: (now) => gate.observe(now), onPendingReload },
      async checkHealth(affected) {
        await waitForHealth(context, affected, gate);
        // The log of an app that was in doubt before begins with an error each time.
        if (isUndoubted) await requireAllLoaded(context, affected, { start: "renewed", listeners });
      },
    },
    target,
  );
}

/** A healthy answer may come from another instance. */
async function requireAllLoaded(
  { ports, requirementOf }: StepContext,
  affected: readonly AffectedProcess[],
  circumstances: Circumstances,
): Promise<void> {
  for (const one of affected) {
    const isProbed = requirementOf(one.name).probe !== undefined;
    await requireLoaded(ports, one, { ...circumstances, isProbed });
  }
}

/** An app that did not run before may end by itself. */
function requirementNow({ requirementOf, running }: StepContext, app: string): HealthRequirement {
  return { ...requirementOf(app), isNew: !running.some((record) => record.name === app && isUp(record)) };
}

async function waitForHealth(
  context: StepContext,
  affected: readonly AffectedProcess[],
  gate?: HealthGate,
): Promise<void> {
  for (const one of affected) {
    const own = gate ?? new HealthGate(context.ports, requirementNow(context, one.name));
    const bootMs = await own.wait(one);
    context.healthy.set(one.pmId, { pid: one.pid, atMs: context.ports.clock.now() });
    if (bootMs !== undefined) context.onBoot(one.name, bootMs);
  }
}

/** Looks at the machine before the start. */
async function startChecked(
  context: StepContext,
  { app }: Pick<DecidedStep, "app">,
  act: (starting: ActionContext) => Promise<{ readonly affected: readonly AffectedProcess[] }>,
): Promise<void> {
  const { ports } = context;
  const isAdded = (await listOrEmpty(ports.processes)).some((one) => one.name === app && isUp(one));
  const circumstances = { start: isAdded ? "added" : "first", listeners: await readListeners(ports) } as const;
  const { affected } = await act(createActionContext(context, app, "start"));
  await waitForHealth(context, affected);
  await requireAllLoaded(context, affected, circumstances);
}

async function scaleApp(context: StepContext, { app, instances }: DecidedStep): Promise<void> {
  const { to = 0 } = instances ?? {};
  const siblings = (await context.ports.processes.list()).filter(({ name }) => name === app);
  const scaleContext = { ...createActionContext(context, app, "start"), report: undefined };
  if (siblings.length >= to) return void (await scaleDown(scaleContext, siblings, siblings.length - to));
  await startChecked(context, { app }, async () => ({
    affected: await scaleUp(scaleContext, siblings, to - siblings.length),
  }));
}

function droppedVariables({ why }: DecidedStep): string[] {
  return why.flatMap(({ field, state, key }) => (field === "env" && state === "stale" && key !== null ? [key] : []));
}

interface SiblingContext {
  readonly ports: ApplyPorts;
  readonly healthy: ReadonlyMap<number, Healthy>;
}

/**
 * An instance that answers is not ended while another one of its app does not stay up: it may be the last one. The plan
 * repairs those first, so this concerns one that fails later.
 * @throws {SvcmError} PROCESS_ACTION_REFUSED with the code SIBLING_FAILING
 */
async function requireHealthySiblings(
  { ports, healthy }: SiblingContext,
  names: readonly string[],
  target: ProcessRecord,
): Promise<void> {
  const nowMs = ports.clock.now();
  if (isStopped(target)) return;
  const siblings = (await ports.processes.list()).filter((one) => names.includes(one.name));
  const stateOf = await readStateOf(ports, [target, ...siblings]);
  if (isFailing(target, nowMs, stateOf)) return;
  const failing = siblings.find((one) => one.pmId !== target.pmId && hasFailed(one, { healthy, nowMs, stateOf }));
  if (failing === undefined) return;
  throw new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "SIBLING_FAILING",
    details: `${failing.name} (id ${failing.pmId}) does not stay up, so svcm does not end ${target.name} (id ${target.pmId}), which answers.`,
  });
}

function hasFailed(
  record: ProcessRecord,
  { healthy, nowMs, stateOf }: Pick<SiblingContext, "healthy"> & { readonly nowMs: number; readonly stateOf: StateOf },
): boolean {
  const before = healthy.get(record.pmId);
  return isFailing(record, nowMs, stateOf) || (before !== undefined && before.pid !== record.pid);
}

/** Of services that ended by themselves since they were healthy: PM2 changes the time of creation at a requested start only. */
export function endedSince(healthy: StepContext["healthy"], running: readonly ProcessRecord[]): string[] {
  const ended = running.filter(({ pmId, pid, status, createdAt, declaration }) => {
    const before = healthy.get(pmId);
    // One of its stop_exit_codes, or a user, leaves it stopped.
    const isAtRest = before?.pid === pid || status === "stopped" || appKind(declaration.settings) !== "service";
    if (before === undefined || isAtRest) return false;
    return status === "errored" || (createdAt !== null && createdAt <= before.atMs);
  });
  return [...new Set(ended.map(({ name }) => name))];
}
