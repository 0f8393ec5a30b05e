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
import {
  endHalf,
  endRefused,
  endReverted,
  endUntouched,
  ignoreUnrecorded,
  type ApplyRun,
  readEvidence,
} from "./failure.ts";
import type { ReleaseRecorder } from "./recording.ts";
import { revertApps } from "./revert-apps.ts";
import { runStep, findTargets } from "./run-step.ts";
import { withAudit } from "../../access/with-audit.ts";
import { noteProcesses } from "../control/action.ts";
import { ownMember } from "../../words/record.ts";
import type { HasClock } from "../../files/ports.ts";
import { omitUndefined } from "../../api/omit-undefined.ts";
import type { Planned } from "../planning.ts";

export async function runSteps(run: ApplyRun, recording: ReleaseRecorder): Promise<ReadonlyMap<string, number>> {
  const { ports, planned, steps, caller } = run;
  const { loaded } = planned.content;
  const boots = new Map<string, number>();
  if (loaded === undefined) return boots;
  const pendingReloads = new Map<number, Promise<unknown>>();
  const context = {
    ports,
    loaded,
    expecting: planned.expecting,
    running: planned.running,
    before: recording.head.before,
    requirementOf: createRequirementFinder(run),
    onPendingReload: ({ pmId }: ProcessRecord, answer: Promise<unknown>) => void pendingReloads.set(pmId, answer),
    healthyPids: new Map<number, number | null>(),
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
  return boots;
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
  if (apps.length === 0) return endRefused(recording, error, failed);
  const mayRevert = input.revert ?? apps.every((one) => planned.settingsOf(one).autoRevert);
  if (!mayRevert) return endHalf(run, recording, "svcm left it as it is, because a revert is switched off.", failed);
  const { reasons, pinned } = await revertApps(
    ports,
    { head, add, requirementOf: createRequirementFinder(run), busy: new Set(pendingReloads.keys()) },
    apps.toReversed(),
  );
  // Until then, PM2 refuses another reload of the process.
  await Promise.all(pendingReloads.values());
  if (reasons.length > 0)
    return endHalf(run, recording, `svcm could not restore everything. ${reasons.join(" ")}`, failed);
  const names = apps.flatMap((one) => namesOfApp(head, one));
  const left = stateAfterRevert(head.left, { undone: head, apps: names, pinned, by: head.id });
  return endReverted(run, recording, failed, { names, left, pinned });
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
  readonly envFiles: readonly EnvFileCopy[];
  readonly save: boolean;
  readonly boots: ReadonlyMap<string, number>;
  readonly running: readonly ProcessRecord[];
}

export function stateAfterApply(
  { clock }: HasClock,
  planned: Planned,
  { envFiles, save, boots, running }: ApplyResult,
): AppliedState {
  const { steps } = planned.decision;
  const gone = new Set(steps.flatMap((step) => (step.do === "remove" ? [step.app] : [findFormerName(step)])));
  const before = Object.entries(planned.appliedState.apps).filter(([app]) => !gone.has(app));
  const after = planned.expected.map((app): [string, AppliedApp] => {
    const { name, environments, envFiles: own } = app;
    const probe = planned.probes.get(name);
    const bootMs = boots.get(name) ?? ownMember(planned.appliedState.apps, name)?.bootMs;
    return [
      name,
      {
        environment: planned.content.name,
        service: planned.serviceOf(name),
        keys: [...new Set(environments.flatMap((variables) => Object.keys(variables)))],
        processes: running.flatMap((one) => (one.name === name && one.uniqueId !== null ? [one.uniqueId] : [])),
        ...omitUndefined({ probe, bootMs }),
        envFiles: envFiles.filter(({ path }) => own.includes(path)),
      },
    ];
  });
  return { apps: Object.fromEntries([...before, ...after]), ...(!save && { unsavedAtMs: clock.now() }) };
}

interface RevertResult {
  readonly undone: Pick<ReleaseHead, "left">;
  readonly apps: readonly string[];
  readonly pinned: ReadonlySet<string>;
  readonly by: string;
}

export function stateAfterRevert(current: AppliedState, { undone, apps, pinned, by }: RevertResult): AppliedState {
  const others = Object.entries(current.apps).filter(([app]) => !apps.includes(app));
  const returned = apps.flatMap((app): [string, AppliedApp][] => {
    const before = ownMember(undone.left.apps, app);
    return before === undefined ? [] : [[app, { ...before, ...(pinned.has(app) && { pinnedBy: by }) }]];
  });
  return { ...current, apps: Object.fromEntries([...others, ...returned]) };
}
