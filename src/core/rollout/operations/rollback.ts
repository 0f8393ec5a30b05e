import type { ApplyPorts } from "../ports.ts";
import type { RollbackPlan } from "../../api/rollout-requests.ts";
import type { Release } from "../../api/rollout.ts";
import { defineOperation, type Caller } from "../../access/operation.ts";
import { planRollback, findRelease, type PlannedRollback } from "../apply/rollback-plan.ts";
import { shellQuote } from "../../words/text.ts";
import { releasesToKeep } from "../settings.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import type { InputOf } from "../../api/inputs.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError } from "../../api/errors.ts";
import { noteProcesses } from "../control/action.ts";
import { whileListening, DEFAULT_LOCK_TIMEOUT_MS } from "../apply/apply.ts";
import { stateAfterRevert } from "../apply/run-steps.ts";
import { recover } from "../apply/preflight.ts";
import { namesOfApp, toJournals, toRelease, type ReleaseEvent } from "../release.ts";
import {
  beginRelease,
  formerProbeFinder,
  type ReleaseRecorder,
  findRecordedStep,
  findReleaseOfRollout,
  findRolloutRelease,
} from "../apply/recording.ts";
import { recordStarts } from "../record-starts.ts";
import { revertApps, type RevertContext } from "../apply/revert-apps.ts";
import { endDeploy, switchFirst, toReturnedCode } from "../apply/rollback-code.ts";
import { endUntouched, PUT_CODE_BACK, stateBefore } from "../apply/failure.ts";

/** Undoes a release. @throws {SvcmError} as `rolledBack` */
export const rolloutRollback = defineOperation({
  id: "rollout.rollback",
  access: "write",
  run: (ports: ApplyPorts, input, caller): Promise<Release> => rollBack(ports, input, caller),
});

/** Computes the effect of a rollback. @throws {SvcmError} as `rollbackPlanned` */
export const rolloutRollbackPlan = defineOperation({
  id: "rollout.rollback-plan",
  access: "read",
  async run(ports: ApplyPorts, input): Promise<RollbackPlan> {
    return (await planRollback(ports, input)).plan;
  },
});

type Input = InputOf<"rollout.rollback">;

/**
 * Files, code and data stay; an app whose env file has changed reads a copy of the old one. The rollback is itself a
 * release, so it can be undone, and svcm undoes it if it fails.
 * @throws {SvcmError} RELEASE_NOT_FOUND, NOTHING_TO_ROLL_BACK, PLAN_STALE, APPLY_LOCKED, APPLY_REFUSED,
 * APPLY_REVERTED, APPLY_HALF, PM2_FAILED, AUDIT_FAILED
 */
function rollBack(ports: ApplyPorts, input: Input, caller: Caller): Promise<Release> {
  const { apps, plan: requested } = input;
  return withAudit(ports, caller, { action: "plan.rollback" }, (attempt) =>
    withLocks(ports, input, caller, async ({ root, lists }) => {
      const done = await findRecordedStep(ports, caller.step);
      if (done !== undefined) return done;
      await caller.step?.confirm();
      // A plan names what it undoes.
      if (caller.step === undefined && input.release === undefined && requested === undefined)
        requireUnchanged(lists, await ports.releases.list());
      await recover(ports);
      const release = caller.step === undefined ? input.release : await findReleaseOfRollout(ports, caller.step);
      const planned = await planRollback(ports, { release, apps });
      if (planned.undone.deploy?.root !== root) throw planStale(requested, planned.plan.id);
      attempt.note({ target: `release ${planned.plan.release}` });
      if (requested !== undefined && requested !== planned.plan.id) throw planStale(requested, planned.plan.id);
      requireChange(planned);
      const recording = await startRollbackRecording(ports, planned, caller);
      noteProcesses(attempt, ports, recording.head.before);
      await attempt.begin();
      const how = { timeoutMs: input.timeoutMs, signal: caller.signal };
      const rolledBack = await whileListening(ports, () => runRollback(ports, planned, recording, how));
      await recordStarts(ports);
      return rolledBack;
    }),
  );
}

/** Otherwise a rollback of new code would succeed, and the new code would run on. */
function requireChange({ plan, undone }: PlannedRollback): void {
  // Without a step, apps of a deploy would run its code, and only current would lead elsewhere.
  if (plan.changed || (undone.deploy !== undefined && plan.steps.length > 0)) return;
  throw new SvcmError("NOTHING_TO_ROLL_BACK", {
    ...(plan.keptCode !== undefined && { code: "CODE_STAYS" as const }),
    details: `Each app has the definition that it had before the release ${undone.id}, and a rollback leaves code and files as they are. No process was touched.`,
    hint: PUT_CODE_BACK,
  });
}

/** As a deploy: first the lock of the deploy root, if the release to undo has one, and then that of the apply. */
async function withLocks<T>(
  ports: ApplyPorts,
  { release, lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS }: Input,
  { step, signal }: Caller,
  work: (before: Before) => Promise<T>,
): Promise<T> {
  const lists = await ports.releases.list();
  const undone = step === undefined ? findRelease(lists, release) : findRolloutRelease(lists, step);
  const root = undone?.head.deploy?.root;
  const apply = (): Promise<T> => ports.releases.withLock(lockTimeoutMs, () => work({ root, lists }), signal);
  return await (root === undefined ? apply() : ports.deployed.withLock(root, lockTimeoutMs, apply, signal));
}

/** As it was when the caller asked. */
interface Before {
  /** Of the deploy to undo. */
  readonly root: string | undefined;
  readonly lists: readonly (readonly ReleaseEvent[])[];
}

/**
 * While it waits for a lock, a deploy may fail and return to the release before, which must not be undone instead.
 * @throws {SvcmError} PLAN_STALE
 */
export function requireUnchanged(before: Before["lists"], now: Before["lists"]): void {
  const [seen] = toJournals(before);
  const [newest] = toJournals(now);
  if (seen === undefined || newest === undefined) return;
  const [was, is] = [toRelease(seen, null), toRelease(newest, null)];
  const isOther = seen.head.id !== newest.head.id;
  const hasEnded = was.endedAt === null && is.endedAt !== null;
  const isUndone = is.outcome === "reverted" || is.outcome === "refused" || is.undoes !== undefined;
  if (!isOther && !(hasEnded && isUndone)) return;
  const what = is.undoes === undefined ? "" : ` undoes ${is.undoes}, and`;
  const begun = isOther ? "began" : "ended";
  throw new SvcmError("PLAN_STALE", {
    details: `While svcm waited, the release ${is.id} ${begun}: it${what} is ${is.outcome}. So the newest release may now be another one to undo. No process was touched.`,
    hint: "Read what a rollback would undo now: svcm rollback --dry-run",
  });
}

function planStale(requested: string | undefined, current: string): SvcmError {
  return new SvcmError("PLAN_STALE", {
    details: `The plan ${requested ?? "that was read"} is out of date: a release, a process or an env file changed. The plan is now ${current}.`,
    hint: "Read the new plan: svcm rollback --dry-run",
  });
}

async function startRollbackRecording(
  ports: ApplyPorts,
  planned: PlannedRollback,
  caller: Caller,
): Promise<ReleaseRecorder> {
  const { undone, git, plan, running, appliedState, settingsOf } = planned;
  const { environment, renamed, deploy } = undone;
  const steps = plan.steps.map(({ app, pmIds }) => ({ do: "return" as const, app, pmIds }));
  const keepReleases = releasesToKeep(steps, settingsOf);
  const probeOf = formerProbeFinder(appliedState, (app) => settingsOf(app).health);
  const subject = {
    environment,
    git,
    plan: plan.id,
    steps,
    renamed,
    left: appliedState,
    running,
    keepReleases,
    probeOf,
    keptCode: plan.keptCode,
    deploy: deploy && (await toReturnedCode(ports, { undone, deploy, running })),
  };
  return beginRelease(ports, caller, { ...subject, undoes: plan.release });
}

interface ReturnOptions {
  readonly timeoutMs: Input["timeoutMs"];
  readonly signal: Caller["signal"];
}

async function runRollback(
  ports: ApplyPorts,
  planned: PlannedRollback,
  recording: ReleaseRecorder,
  { timeoutMs, signal }: ReturnOptions,
): Promise<Release> {
  const { undone, plan, appliedState } = planned;
  const { deploy } = recording.head;
  if (signal?.aborted) throw await endUntouched(recording, `svcm rollback ${undone.id}`);
  // The release of another tool runs by the link.
  if (deploy?.id === null && plan.current !== undefined) await switchFirst(ports, deploy, recording);
  const pinned = await returnApps(ports, planned, recording, { timeoutMs, signal });
  await ports.processes.saveList();
  const apps = plan.steps.flatMap(({ app }) => namesOfApp(undone, app));
  const { unsavedAtMs: _unsaved, ...saved } = appliedState;
  const returned = await stateAfterRevert(ports, saved, { undone, apps, pinned, by: recording.head.id });
  if (deploy !== undefined) await endDeploy(ports, planned, recording, deploy);
  return await recording.end("applied", { left: returned });
}

/** @returns the apps that read copies of their former env files */
async function returnApps(
  ports: ApplyPorts,
  planned: PlannedRollback,
  recording: ReleaseRecorder,
  { timeoutMs, signal }: ReturnOptions,
): Promise<ReadonlySet<string>> {
  const { undone, plan } = planned;
  const requirementOf = createRequirementFinder(planned, timeoutMs);
  const allPinned = new Set<string>();
  for (const [index, { app }] of plan.steps.entries()) {
    if (index > 0 && signal?.aborted) throw await endInterrupted(ports, planned, recording);
    await recording.step(index, "begun");
    const { reasons, pinned } = await revertApps(ports, { head: undone, add: recording.add, requirementOf }, [app]);
    await recording.step(index, reasons.length === 0 ? "done" : "failed", { reason: reasons[0] });
    if (reasons.length > 0) {
      const touched = plan.steps.slice(0, index + 1).map((step) => step.app);
      throw await undoRollback(ports, recording, {
        touched: touched.toReversed(),
        requirementOf,
        why: reasons.join(" "),
      });
    }
    for (const one of pinned) allPinned.add(one);
  }
  return allPinned;
}

type RequirementFinder = RevertContext["requirementOf"];

function createRequirementFinder({ settingsOf }: PlannedRollback, timeoutMs: number | undefined): RequirementFinder {
  return (app) => {
    const { deadlineMs, minHealthyMs } = settingsOf(app);
    return { deadlineMs: timeoutMs ?? deadlineMs, minHealthyMs };
  };
}

async function endInterrupted(
  { processes }: HasProcesses,
  { undone }: PlannedRollback,
  recording: ReleaseRecorder,
): Promise<SvcmError> {
  await processes.saveList();
  await recording.end("half");
  return new SvcmError("APPLY_HALF", {
    details:
      "It was interrupted between two apps. Some apps may run as before the release, and others as it left them.",
    hint: `To continue: svcm rollback ${undone.id}. To go back: svcm rollback ${recording.head.id}`,
  });
}

interface FailedRollback {
  /** Last app first. */
  readonly touched: readonly string[];
  readonly requirementOf: RequirementFinder;
  readonly why: string;
}

/** As an apply that fails. */
async function undoRollback(
  ports: ApplyPorts,
  { head, add, end }: ReleaseRecorder,
  { touched, requirementOf, why }: FailedRollback,
): Promise<SvcmError> {
  const { reasons, pinned } = await revertApps(ports, { head, add, requirementOf }, touched);
  await ports.processes.saveList();
  const names = touched.flatMap((app) => namesOfApp(head, app));
  if (reasons.length === 0) {
    const { deploy } = head;
    if (deploy?.id === null) await ports.deployed.switchTo({ id: deploy.former, root: deploy.root });
    const result = { undone: head, apps: names, pinned, by: head.id };
    await end("reverted", { left: await stateAfterRevert(ports, head.left, result) });
    const hint = `Read why: svcm why ${shellQuote(touched[0] ?? "")}. Correct the code, and run svcm apply.`;
    return new SvcmError("APPLY_REVERTED", {
      details: `The rollback failed. ${stateBefore(head, names)} ${why}`,
      hint,
    });
  }
  await end("half");
  return new SvcmError("APPLY_HALF", {
    details: `The rollback failed, and svcm could not restore everything. ${why} ${reasons.join(" ")}`,
    hint: "Read which process does not start: svcm ls",
  });
}
