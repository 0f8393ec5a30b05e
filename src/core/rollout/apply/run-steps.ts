import { foreignCode, type ErrorCode } from "../../api/code.ts";
import type { InputOf } from "../../api/inputs.ts";
import { SvcmError } from "../../errors.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { Ports } from "../../ports/index.ts";
import type { Planned } from "../planning.ts";
import { namesOfApp, type ReleaseEvent } from "../release.ts";
import type { AppProbe } from "../settings/probe.ts";
import { isAppStep, type DecidedStep } from "../step.ts";
import { stateAfterRevert } from "./applied-state.ts";
import type { ReleaseRecorder } from "./recording.ts";
import { revertApps } from "./revert-apps.ts";
import { runStep, findTargets } from "./run-step.ts";

export interface ApplyRun {
  readonly ports: Ports;
  readonly planned: Planned;
  readonly steps: readonly DecidedStep[];
  readonly input: InputOf<"rollout.apply">;
  readonly signal: AbortSignal | undefined;
}

export async function runSteps(run: ApplyRun, recording: ReleaseRecorder): Promise<ReadonlyMap<string, number>> {
  const { ports, planned, steps, signal } = run;
  const { loaded } = planned.content;
  const boots = new Map<string, number>();
  if (loaded === undefined) return boots;
  const pendingReloads = new Map<number, Promise<unknown>>();
  const context = {
    ports,
    loaded,
    expecting: planned.expecting,
    running: planned.running,
    requirementOf: createRequirementFinder(run),
    onPendingReload: ({ pmId }: ProcessRecord, answer: Promise<unknown>) => void pendingReloads.set(pmId, answer),
    healthyPids: new Map<number, number | null>(),
    onBoot: (app: string, bootMs: number) => void boots.set(app, Math.max(bootMs, boots.get(app) ?? 0)),
  };
  for (const [index, step] of steps.entries()) {
    if (signal?.aborted) throw await endHalf(recording, "It was interrupted between two steps.");
    let touched = index;
    try {
      const targets = await findTargets(context, step);
      await recording.step(index, "begun");
      touched = index + 1;
      await runStep(context, step, targets);
      await recording.step(index, "done");
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      await ignoreUnrecorded(recording.step(index, "failed", error.message));
      throw await handleFailure(run, recording, { index, touched, error, pendingReloads });
    }
  }
  return boots;
}

/** After a failure, restoring the apps matters more than recording it: the disk may be full. */
async function ignoreUnrecorded(written: Promise<unknown>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
  }
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
  readonly pendingReloads: ReadonlyMap<number, Promise<unknown>>;
}

async function handleFailure(
  run: ApplyRun,
  recording: ReleaseRecorder,
  { index, touched, error, pendingReloads }: StepFailure,
): Promise<SvcmError> {
  const { ports, steps, planned, input } = run;
  const { head } = recording;
  const add = (event: ReleaseEvent): Promise<void> => ignoreUnrecorded(recording.add(event));
  const apps = [...new Set(steps.slice(0, touched).flatMap((step) => (isAppStep(step) ? [step.app] : [])))];
  const code = error.body.code ?? foreignCode(error.kind);
  const failing = head.steps[index]?.app ?? "";
  const why = error.message.startsWith(`${failing} `) ? error.message : `${failing}: ${error.message}`;
  if (apps.length === 0) {
    await ignoreUnrecorded(recording.end("refused", { code }));
    const kind = code === "PROCESS_CHANGED" ? "APPLY_REVERTED" : error.kind;
    return new SvcmError(kind, { ...error.body, details: `${why} No process was changed.` });
  }
  const mayRevert = input.revert ?? apps.every((app) => planned.settingsOf(app).autoRevert);
  if (!mayRevert) return endHalf(recording, `${why} svcm left it as it is, because a revert is switched off.`, code);
  const requirementOf = createRequirementFinder(run);
  const { reasons, pinned } = await revertApps(
    ports,
    { head, add, requirementOf, busy: new Set(pendingReloads.keys()) },
    apps.toReversed(),
  );
  // Until then, PM2 refuses another reload of the process.
  await Promise.all(pendingReloads.values());
  if (reasons.length > 0)
    return endHalf(recording, `${why} svcm could not restore everything. ${reasons.join(" ")}`, code);
  const names = apps.flatMap((app) => namesOfApp(head, app));
  const left = stateAfterRevert(head.left, { undone: head, apps: names, pinned, by: head.id });
  await ignoreUnrecorded(recording.end("reverted", { code, left }));
  const log = failing === "" ? "" : `See its log: svcm logs ${failing}. `;
  const hint = `${log}Correct the declaration or the code, then run svcm apply again.`;
  const pins = pinned.size === 0 ? "" : ` With the former env files: ${[...pinned].join(", ")}.`;
  return new SvcmError("APPLY_REVERTED", { code, details: `${why} Every touched app runs as before.${pins}`, hint });
}

export async function endHalf(recording: ReleaseRecorder, reason: string, code?: ErrorCode): Promise<SvcmError> {
  await ignoreUnrecorded(recording.end("half", code === undefined ? {} : { code }));
  return new SvcmError("APPLY_HALF", {
    ...(code !== undefined && { code }),
    details: `${reason} Some apps may run as before, and others as declared.`,
    hint: `To continue: svcm apply. To go back: svcm rollback ${recording.head.id}`,
  });
}
