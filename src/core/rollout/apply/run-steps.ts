import { foreignCode } from "../../api/issue.ts";
import { SvcmError } from "../../api/errors.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import {
  namesOfApp,
  type ReleaseEvent,
  type EnvFileCopy,
  type AppliedState,
  type AppliedApp,
  type ReleaseHead,
} from "../release.ts";
import type { AppProbe } from "../settings.ts";
import { isAppStep, type DecidedStep, pmIdsOf, findFormerName } from "../step.ts";
import { endHalf, endRefused, endReverted, endUntouched, ignoreUnrecorded, type ApplyRun } from "./failure.ts";
import { readEvidence } from "./last-errors.ts";
import type { ReleaseRecorder } from "./recording.ts";
import { revertApps } from "./revert-apps.ts";
import { isDaemonGone } from "./without-daemon.ts";
import { runStep, findTargets, type Healthy } from "./run-step.ts";
import { withAudit } from "../../access/with-audit.ts";
import { noteProcesses } from "../control/action.ts";
import { ownMember } from "../../words/record.ts";
import type { HasClock, HasStamps } from "../../files/ports.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import { listOrEmpty } from "../../pm2/list.ts";
import type { HasReleases } from "../ports.ts";
import { withReadCopy } from "../env-file-copies.ts";
import { omitUndefined } from "../../api/omit-undefined.ts";
import type { Planned } from "../planning.ts";

interface StepsDone {
  readonly boots: ReadonlyMap<string, number>;
  readonly healthy: Map<number, Healthy>;
}

export async function runSteps(run: ApplyRun, recording: ReleaseRecorder): Promise<StepsDone> {
  const { ports, planned, steps, caller } = run;
  const { loaded } = planned.content;
  const boots = new Map<string, number>();
  const healthy = new Map<number, Healthy>();
  if (loaded === undefined) return { boots, healthy };
  const pendingReloads = new Map<number, Promise<unknown>>();
  const context = {
    ports,
    loaded,
    expecting: planned.expecting,
    running: planned.running,
    before: recording.head.before,
    requirementOf: createRequirementFinder(run),
    onPendingReload: ({ pmId }: ProcessRecord, answer: Promise<unknown>) => void pendingReloads.set(pmId, answer),
    healthy,
    onBoot: (app: string, bootMs: number) => void boots.set(app, Math.max(bootMs, boots.get(app) ?? 0)),
  };
  for (const [index, step] of steps.entries()) {
    if (caller.signal?.aborted)
      throw await (index === 0
        ? endUntouched(recording, "svcm apply")
        : endHalf(run, recording, "It was interrupted between two steps."));
    let touched = index;
    const sinceMs = ports.clock.now();
    try {
      const targets = await findTargets(context, step);
      await recording.step(index, "begun");
      touched = index + 1;
      const pmIds = await withStepAudit(run, step, () => runStep(context, step, targets));
      await recording.step(index, "done", { pmIds });
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      await ignoreUnrecorded(recording.step(index, "failed", { reason: error.message }));
      throw await handleFailure(run, recording, { index, touched, error, sinceMs, pendingReloads });
    }
  }
  return { boots, healthy };
}

function createRequirementFinder({ planned, input }: ApplyRun) {
  return (app: string): { probe: AppProbe | undefined; deadlineMs: number; minHealthyMs: number } => {
    const settings = planned.settingsOf(app);
    const { timeoutMs: deadlineMs = settings.deadlineMs, minHealthyMs = settings.minHealthyMs } = input;
    return { probe: planned.probes.get(app), deadlineMs, minHealthyMs };
  };
}

interface StepFailure {
  readonly index: number;
  readonly touched: number;
  readonly error: SvcmError;
  /** When the step began, in milliseconds since 1970. */
  readonly sinceMs: number;
  readonly pendingReloads: ReadonlyMap<number, Promise<unknown>>;
}

async function handleFailure(
  run: ApplyRun,
  recording: ReleaseRecorder,
  { index, touched, error, sinceMs, pendingReloads }: StepFailure,
): Promise<SvcmError> {
  const { ports, steps, planned, input, caller } = run;
  const { head } = recording;
  const add = (event: ReleaseEvent): Promise<void> => ignoreUnrecorded(recording.add(event));
  const apps = [...new Set(steps.slice(0, touched).flatMap((step) => (isAppStep(step) ? [step.app] : [])))];
  const code = error.body.code ?? foreignCode(error.kind);
  const app = head.steps[index]?.app ?? "";
  const reason = error.message.startsWith(`${app} `) ? error.message : `${app}: ${error.message}`;
  const failed = { app, reason, code, evidence: await readEvidence(ports, caller, { app, sinceMs }) };
  // Nothing can be restored, and the other apps have ended as well.
  if (planned.hasDaemon && (await isDaemonGone(ports))) return endHalf(run, recording, "", failed);
  if (apps.length === 0) return endRefused(recording, error, failed);
  const mayRevert = input.revert ?? apps.every((one) => planned.settingsOf(one).autoRevert);
  if (!mayRevert) return endHalf(run, recording, "svcm left it as it is, because a revert is switched off.", failed);
  const { reasons, pinned, silent } = await revertApps(
    ports,
    { head, add, requirementOf: createRequirementFinder(run), busy: new Set(pendingReloads.keys()) },
    apps.toReversed(),
  );
  // Until then, PM2 refuses another reload of the process.
  await Promise.all(pendingReloads.values());
  if (reasons.length > 0)
    return endHalf(run, recording, `svcm could not restore everything. ${reasons.join(" ")}`, failed);
  const names = apps.flatMap((one) => namesOfApp(head, one));
  const left = await stateAfterRevert(ports, head.left, { undone: head, apps: names, pinned, by: head.id });
  return endReverted(run, recording, failed, { names, left, pinned, silent });
}

/**
 * One pair of records for each step: `process.update` with the keys that change, and the processes. Returns PM2's numbers of
 * the processes that the step started, which the plan does not know; `undefined` if there are none, or if PM2 does not list
 * them.
 */
async function withStepAudit(
  run: ApplyRun,
  step: DecidedStep,
  work: () => Promise<void>,
): Promise<number[] | undefined> {
  if (!isAppStep(step)) {
    await work();
    return undefined;
  }
  const { ports, planned, caller } = run;
  const keys = step.why.flatMap(({ field, key }) => (field === "env" && key !== null ? [key] : []));
  const targets = step.pmIds.map((pmId) => ({ name: step.app, pmId }));
  return await withAudit(
    ports,
    caller,
    {
      action: `process.${step.do}`,
      environment: planned.content.name,
      ...(keys.length > 0 && { keys }),
    },
    async (attempt) => {
      noteProcesses(attempt, ports, targets.length > 0 ? targets : [{ name: step.app, pmId: null }]);
      await attempt.begin();
      await work();
      if (!STARTING.has(step.do)) return undefined;
      // The step is done, so a failed look is not its failure.
      const listed = await ports.processes.list().catch(() => undefined);
      const started = listed?.filter(({ name }) => name === step.app);
      if (started !== undefined)
        noteProcesses(attempt, ports, step.do === "replace" ? [...targets, ...started] : started);
      return started && pmIdsOf(started);
    },
  );
}

const STARTING: ReadonlySet<string> = new Set(["register", "start", "scale", "replace"]);

interface ApplyResult {
  readonly head: ReleaseHead;
  readonly envFiles: readonly EnvFileCopy[];
  readonly save: boolean;
  readonly boots: ReadonlyMap<string, number>;
  readonly running: readonly ProcessRecord[];
}

export async function stateAfterApply(
  ports: HasClock & HasReleases & HasStamps,
  planned: Planned,
  { head, envFiles, save, boots, running }: ApplyResult,
): Promise<AppliedState> {
  const { steps } = planned.decision;
  const gone = new Set(steps.flatMap((step) => (step.do === "remove" ? [step.app] : [findFormerName(step)])));
  const before = Object.entries(head.left.apps).filter(([app]) => !gone.has(app));
  const formerPids = new Set(planned.running.map(({ pid }) => pid));
  const after: [string, AppliedApp][] = [];
  for (const { name, environments, envFiles: paths } of planned.expected) {
    const probe = planned.probes.get(name);
    const former = ownMember(head.left.apps, name);
    const bootMs = boots.get(name) ?? former?.bootMs;
    const own = running.filter((one) => one.name === name);
    const app = {
      environment: planned.content.name,
      service: planned.serviceOf(name),
      keys: [...new Set(environments.flatMap((variables) => Object.keys(variables)))],
      processes: own.flatMap(({ uniqueId }) => uniqueId ?? []),
      ...omitUndefined({ probe, bootMs }),
      envFiles: envFiles.filter(({ path }) => paths.includes(path)),
    };
    // Without a step for it, an app may have read the files before they changed.
    const isFormer = own.some(({ pid }) => formerPids.has(pid));
    const read = former && isFormer ? pickCopies(former) : {};
    after.push([name, await withReadCopy(ports, { ...app, ...read }, { id: head.id, own, isPinned: () => false })]);
  }
  return { apps: Object.fromEntries([...before, ...after]), ...(!save && { unsavedAtMs: ports.clock.now() }) };
}

function pickCopies({ envFiles, readBy, pinnedBy }: AppliedApp): Pick<AppliedApp, "envFiles" | "readBy" | "pinnedBy"> {
  return { envFiles, ...omitUndefined({ readBy, pinnedBy }) };
}

interface RevertResult {
  readonly undone: Pick<ReleaseHead, "left" | "before">;
  readonly apps: readonly string[];
  readonly pinned: ReadonlySet<string>;
  readonly by: string;
}

/** A process that was started again has read the copies, or files that are like them. */
export async function stateAfterRevert(
  { processes }: HasProcesses,
  current: AppliedState,
  { undone, apps, pinned, by }: RevertResult,
): Promise<AppliedState> {
  const running = await listOrEmpty(processes);
  const formerPids = new Set(undone.before.map(({ pid }) => pid));
  const others = Object.entries(current.apps).filter(([app]) => !apps.includes(app));
  const returned = apps.flatMap((app): [string, AppliedApp][] => {
    const before = ownMember(undone.left.apps, app);
    if (before === undefined) return [];
    const { mayDiffer: _doubt, ...known } = before;
    const own = running.filter(({ name, pid }) => name === app && pid !== null);
    const isNew = own.length > 0 && own.every(({ pid }) => !formerPids.has(pid));
    const read = isNew ? { ...known, readBy: own.flatMap(({ pid }) => pid ?? []) } : before;
    return [[app, { ...read, ...(pinned.has(app) && { pinnedBy: by }) }]];
  });
  return { ...current, apps: Object.fromEntries([...others, ...returned]) };
}
