import { type HasProcesses, keepingDaemon } from "../../pm2/port-processes.ts";
import type { HasClock } from "../../files/ports.ts";
import type { ApplyPorts } from "../ports.ts";
import type { InputOf } from "../../api/inputs.ts";
import type { Plan, Release, ReleasedCode } from "../../api/rollout.ts";
import { withAudit, type Attempt } from "../../access/with-audit.ts";
import type { Caller } from "../../access/operation.ts";
import { noteProcesses } from "../control/action.ts";
import { POLL_INTERVAL_MS } from "../control/verify.ts";
import { type DecidedStep, findFormerName, isAppStep, stepNames } from "../step.ts";
import { computePlan, type Planned } from "../planning.ts";
import type { ReleaseHead } from "../release.ts";
import { readEcosystem } from "../../pm2/ecosystem-file.ts";
import { endedSince } from "./run-step.ts";
import { stateAfterApply, runSteps } from "./run-steps.ts";
import { recover } from "./preflight.ts";
import { beginRelease, formerProbeFinder, type ReleaseRecorder, findRecordedStep } from "./recording.ts";
import { releasesToKeep } from "../settings.ts";
import { endAfterSteps, endWithOthers, type ApplyRun } from "./failure.ts";
import { endWithOtherCode, readCodeAfter } from "./changed-code.ts";
import { readEvidence } from "./last-errors.ts";
import { doAllHang } from "../../running/read-serving.ts";
import { readServedApps, readUnloaded, readUnserved } from "../../running/read-unserved.ts";
import { foreignCode } from "../../api/issue.ts";
import { SvcmError } from "../../api/errors.ts";
import { groupBy, withMembers } from "../../words/record.ts";
import { placeInRelease } from "../../project/state-place.ts";
import type { UnknownPart } from "../../api/drift.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";

export const DEFAULT_LOCK_TIMEOUT_MS = 60_000;
/** Longer than PM2 waits by default for a process to end. */
const MAX_RESTART_MS = 5000;

type Input = InputOf<"rollout.apply">;

export interface Applied {
  readonly plan: Plan;
  readonly release: Release | null;
}

/**
 * Recomputes the plan under the lock. After a failure it restores the affected apps; an empty plan proves the result.
 * @throws {SvcmError} PLAN_STALE, WORKTREE_DIRTY, PROCESS_ACTION_REFUSED, PREFLIGHT_FAILED, APPLY_LOCKED,
 * APPLY_REVERTED, APPLY_HALF, AUDIT_FAILED, and the errors of a plan
 */
export function applyPlan(ports: ApplyPorts, input: Input, caller: Caller, deploy?: ReleasedCode): Promise<Applied> {
  const { lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS } = input;
  return withAudit(ports, caller, { action: "plan.apply" }, (attempt) =>
    ports.releases.withLock(lockTimeoutMs, () => applyLocked(ports, input, { caller, attempt, deploy }), caller.signal),
  );
}

interface ApplyContext {
  readonly caller: Caller;
  readonly attempt: Attempt;
  /** The code of a deploy, which is recorded with the release. */
  readonly deploy: ReleasedCode | undefined;
}

async function applyLocked(
  ports: ApplyPorts,
  input: Input,
  { caller, attempt, deploy }: ApplyContext,
): Promise<Applied> {
  const { environment, service, apps, prune, preflight, restart, save = true } = input;
  const request = { environment, service, apps, prune, preflight };
  const restarting = { ...request, restart };
  const done = await findRecordedStep(ports, caller.step);
  if (done !== undefined) return { plan: (await computePlan(ports, request)).plan, release: done };
  await caller.step?.confirm();
  const content = readEcosystem(ports, { environment, service });
  content.catch(() => undefined);
  await recover(ports);
  const planned = await whileHung(ports, () => computePlan(ports, restarting, content));
  const { plan } = planned;
  attempt.note({ environment: planned.content.name, ...(plan.id !== null && { target: `plan ${plan.id}` }) });
  requireApplicable(plan, input);
  const steps = planned.decision.steps.filter((step) => save || step.do !== "save");
  if (steps.length === 0) return { plan, release: null };
  await ports.processes.requireLasting();
  const run = { ports: planned.hasDaemon ? withDaemon(ports) : ports, planned, steps, input, caller };
  const recording = await startApplyRecording(run, caller, deploy);
  attempt.note({ target: releaseTarget(recording.head) });
  const started = steps.flatMap(({ do: kind, app }) => (kind === "start" ? [{ name: app, pmId: null }] : []));
  noteProcesses(attempt, ports, [...recording.head.before, ...started]);
  const envFiles = await prepareOrRefuse(recording, async () => {
    const copies = await ports.releases.copyEnvFiles(recording.head.id, planned.envFiles);
    await attempt.begin();
    return copies;
  });
  const servedBefore = await readServedApps(ports, planned.running);
  const { boots, healthy, hasFailed } = await whileListening(ports, async () => ({
    ...(await runSteps(run, recording)),
    hasFailed: await readUnloaded(ports),
  }));
  const lastingState = (running: readonly ProcessRecord[]) =>
    stateAfterApply(ports, planned, { head: recording.head, envFiles, save, boots, running });
  await recording.add({ event: "left", left: await lastingState(await ports.processes.list()) });
  const replan = (): Promise<Planned> => whileHung(ports, () => computePlan(ports, request, planned.content));
  const { apps: remaining, running } = await findRemaining(ports, plan, replan);
  const ended = endedSince(healthy, running);
  if (remaining.length > 0 || ended.length > 0) throw await endWithRest(run, recording, { remaining, ended });
  const left = await lastingState(running);
  const code = await readCodeAfter(ports, planned, running);
  if (code.changed.length > 0) throw await endWithOtherCode(recording, plan, { paths: code.changed, left });
  const unknown = [...(await findUnproven(run, running, { servedBefore, hasFailed })), ...code.unknown];
  const release = await recording.end("applied", { left, ...(unknown.length > 0 && { unknown }) });
  return { plan, release };
}

function withDaemon(ports: ApplyPorts): ApplyPorts {
  return withMembers(ports, { processes: keepingDaemon(ports.processes) });
}

/** A process may look hung because it is busy, so it is watched for longer before a step ends it. */
async function whileHung(ports: ApplyPorts, plan: () => Promise<Planned>): Promise<Planned> {
  const planned = await plan();
  const reasons = planned.decision.steps.flatMap(({ why }) => why.filter(({ running }) => running === "hung"));
  const ids = new Set(reasons.flatMap(({ pmIds }) => pmIds));
  const hung = planned.running.filter(({ pmId }) => ids.has(pmId));
  return hung.length === 0 || (await doAllHang(ports, hung)) ? planned : plan();
}

/** `release 20261122-044103-b8f9, plan 7f3a-9c21, commit 1d6f1f0c2a` */
function releaseTarget({ id, plan, git }: Pick<ReleaseHead, "id" | "plan" | "git">): string {
  const commit = git === null ? [] : [`commit ${git.commit.slice(0, 10)}`];
  return [`release ${id}`, ...(plan === null ? [] : [`plan ${plan}`]), ...commit].join(", ");
}

/**
 * The apps with a step. If a user restarts a process at this moment, it is stopped only briefly, and its step goes away.
 * Left out are those without a step before of which a job ran, which may have ended since, or the code was not known.
 */
async function findRemaining(
  { clock }: HasClock,
  { held, steps, unknown }: Pick<Plan, "held" | "steps" | "unknown">,
  plan: () => Promise<Planned>,
) {
  const heldApps = new Set(held.map(({ name }) => name));
  const touched = new Set(steps.map(({ app }) => app));
  const doubtful = new Set(unknown.flatMap(({ app, part }) => (part === "code" && !touched.has(app) ? [app] : [])));
  const isNowKnown = ({ app, why }: DecidedStep): boolean =>
    doubtful.has(app) && why.every(({ field }) => field === "code");
  const deadline = clock.elapsed() + MAX_RESTART_MS;
  for (;;) {
    const { plan: now, decision, running } = await plan();
    if (now.summary.resume === 0 || clock.elapsed() >= deadline) {
      const names = decision.steps.filter((step) => isAppStep(step) && !isNowKnown(step)).map(({ app }) => app);
      const apps = new Set(names.filter((app) => !heldApps.has(app)));
      return { apps: [...apps], running };
    }
    await clock.sleep(POLL_INTERVAL_MS);
  }
}

/** Without a probe, a process only has to stay online, and one that waits without end does. */
async function findUnproven(
  { ports, steps }: ApplyRun,
  running: readonly ProcessRecord[],
  start: Parameters<typeof readUnserved>[2],
): Promise<UnknownPart[]> {
  const touched = new Set(steps.filter(isAppStep).map(({ app }) => app));
  const started = running.filter(({ name }) => touched.has(name));
  const doubts = await readUnserved(ports, started, start);
  return [...groupBy(started, ({ name }) => name)].flatMap(([app, processes]): UnknownPart[] => {
    const pmIds = processes.flatMap(({ pmId }) => (doubts.has(pmId) ? [pmId] : []));
    const [reason] = pmIds.map((pmId) => doubts.get(pmId));
    return reason === undefined ? [] : [{ app, pmIds, part: "state", reason }];
  });
}

interface Rest {
  /** With a step. */
  readonly remaining: readonly string[];
  /** After their gate. */
  readonly ended: readonly string[];
}

async function endWithRest(run: ApplyRun, recording: ReleaseRecorder, rest: Rest): Promise<SvcmError> {
  const { remaining, ended } = rest;
  const ownApps = new Set(run.steps.map(({ app }) => app));
  const own = [...ended, ...remaining.filter((name) => ownApps.has(name))];
  const [app = ""] = own.length > 0 ? own : remaining;
  const sinceMs = Date.parse(recording.head.startedAt);
  const evidence = await readEvidence(run.ports, run.caller, { app, sinceMs });
  if (own.length === 0) return endWithOthers(recording, { app, apps: remaining, evidence });
  return endAfterSteps(run, recording, { app, apps: own, ended, evidence });
}

const LOST_BY_NOTE = { CODE_NOT_RESTORABLE: "code", ENV_FILE_UNKNOWN_BEFORE: "envFile" } as const;

function startApplyRecording(
  { ports, planned, steps: decided, input }: ApplyRun,
  caller: Caller,
  deploy: ReleasedCode | undefined,
): Promise<ReleaseRecorder> {
  const { plan, content, appliedState, running, failing, settingsOf } = planned;
  const { git, id } = plan;
  const steps = decided.map((step) => {
    const { do: kind, app, pmIds } = step;
    return { do: kind, app, pmIds, ...(isNewCodeInPlace(step, planned) && { newCode: true as const }) };
  });
  const cannotUndo = decided.flatMap(({ app, notes }) =>
    notes.flatMap((note) =>
      note in LOST_BY_NOTE ? [{ app, what: LOST_BY_NOTE[note as keyof typeof LOST_BY_NOTE] }] : [],
    ),
  );
  const renamed = Object.fromEntries(decided.flatMap((step) => (findFormerName(step) ? [stepNames(step)] : [])));
  const keepReleases = releasesToKeep(decided, settingsOf);
  const subject = {
    environment: content.name,
    git,
    plan: id,
    steps,
    renamed,
    cannotUndo,
    left: appliedState,
    message: input.message,
    deploy,
    running,
    failing,
    keepReleases,
    isPinned: (record: ProcessRecord) => readsCopies(record, planned),
  };
  const probeOf = formerProbeFinder(appliedState, (app) => settingsOf(app).health);
  return beginRelease(ports, caller, { ...subject, probeOf });
}

/** As a rollback left it: its options of Node.js name the copies. */
function readsCopies({ name, declaration }: ProcessRecord, { expected }: Planned): boolean {
  const app = expected.find((one) => one.name === name);
  return app !== undefined && app.interpreterArgsDigest !== declaration.interpreterArgsDigest;
}

/** A rollback would start the new code. */
function isNewCodeInPlace({ app, why }: DecidedStep, { expected, running }: Planned): boolean {
  const script = expected.find(({ name }) => name === app)?.script;
  return why.some(({ field }) => field === "code") && running.some((one) => one.name === app && one.script === script);
}

export async function whileListening<T>({ processes }: HasProcesses, work: () => Promise<T>): Promise<T> {
  await processes.listenForReady(true);
  try {
    return await work();
  } finally {
    await processes.listenForReady(false);
  }
}

/** Nothing has changed yet, so a failure does not leave the apply half done. */
async function prepareOrRefuse<T>(recording: ReleaseRecorder, prepare: () => Promise<T>): Promise<T> {
  try {
    return await prepare();
  } catch (error) {
    await recording.end("refused").catch(() => undefined);
    throw error;
  }
}

/** Not a checkout: a commit there would be lost with the release. */
function isInRelease(path: string): boolean {
  return placeInRelease(path) !== path;
}

/** @throws {SvcmError} PLAN_STALE, WORKTREE_DIRTY, APPLY_REFUSED */
export function requireApplicable(
  plan: Plan,
  {
    plan: requested,
    allowDirty,
    switchEnvironment = false,
    switchCheckout = false,
  }: Pick<InputOf<"rollout.apply">, "plan" | "allowDirty" | "switchEnvironment" | "switchCheckout">,
): void {
  const { id, issues, changed, git } = plan;
  if (requested !== undefined && requested !== id)
    throw new SvcmError("PLAN_STALE", {
      plan,
      details: `The plan ${requested} is out of date: the ecosystem file, an env file, the code or a process changed. The plan is now ${id}.`,
      hint: "Read the new plan: svcm plan",
    });
  const dirty = git?.dirty ?? [];
  if (changed && dirty.length > 0 && !allowDirty)
    throw new SvcmError("WORKTREE_DIRTY", {
      details: `No commit holds what would run, because these files have changes: ${dirty.join(", ")}.`,
      hint: isInRelease(plan.path)
        ? "Commit them in a checkout and deploy that commit, or put the files back. An apply with --allow-dirty runs the release as it is."
        : "Commit the changes, or apply them with --allow-dirty.",
    });
  const isAccepted = (code: string): boolean =>
    (switchEnvironment && code === "ENVIRONMENT_SWITCH") || (switchCheckout && code === "CHECKOUT_SWITCH");
  const errors = issues.filter(({ severity, code }) => severity === "error" && !isAccepted(code));
  const [issue] = errors;
  if (issue === undefined) return;
  const { code, message: details } = issue;
  throw new SvcmError("APPLY_REFUSED", { code: foreignCode(code), details, issues: errors });
}
