import { foreignCode, type ErrorCode } from "../../api/code.ts";
import type { InputOf } from "../../api/inputs.ts";
import type { Plan, Release } from "../../api/rollout.ts";
import { audited } from "../../audit/audited.ts";
import type { Caller } from "../../caller.ts";
import { SvcmError } from "../../errors.ts";
import { noteProcesses, type ActionSubject } from "../../pm2/control/recorded.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { Ports } from "../../ports/index.ts";
import { namesIn, type ReleaseEvent } from "../release.ts";
import { formerNameOf, isOfAnApp, namesOf, type DecidedStep } from "../step.ts";
import { planned, readDeclared, type Planned } from "../planning.ts";
import type { AppProbe } from "../settings/probe.ts";
import { leftAfter, leftReturned } from "./left.ts";
import { recover } from "./preflight.ts";
import { begun, formerProbe, type Recording } from "./recording.ts";
import { recordedStep } from "./recorded-step.ts";
import { refuse } from "./refuse.ts";
import { returnApps } from "./return-apps.ts";
import { runStep, targetsOf } from "./run-step.ts";

export const LOCK_PATIENCE_MS = 60_000;

type Input = InputOf<"rollout.apply">;
/** The result of an apply; without a release if there was nothing to do. */
export interface Applied {
  readonly plan: Plan;
  readonly release: Release | null;
}

/**
 * Computes the plan once more under the lock, and runs its steps one after another. The first failure stops, and gives the
 * touched apps their former definitions back. An empty plan afterwards proves the result.
 *
 * @throws {SvcmError} PLAN_STALE, WORKTREE_DIRTY, PROCESS_ACTION_REFUSED, PREFLIGHT_FAILED, APPLY_LOCKED, APPLY_REVERTED,
 *   APPLY_HALF, AUDIT_FAILED, and those of a plan
 */
export function applied(ports: Ports, input: Input, caller: Caller): Promise<Applied> {
  const {
    environment,
    service,
    apps,
    prune,
    preflight,
    save = true,
    message,
    lockTimeoutMs = LOCK_PATIENCE_MS,
  } = input;
  const place = { environment, service, apps, prune, preflight };
  const about: ActionSubject = { action: "plan.apply" };
  const attempt = (begin: () => Promise<void>): Promise<Applied> =>
    ports.releases.exclusively(lockTimeoutMs, async () => {
      const done = await recordedStep(ports, caller.step);
      if (done !== undefined) return { plan: (await planned(ports, place)).plan, release: done };
      await caller.step?.confirm();
      // The file runs while PM2 answers.
      const content = readDeclared(ports, { environment, service });
      content.catch(() => undefined);
      await recover(ports);
      const now = await planned(ports, place, content);
      const { plan } = now;
      about.environment = now.content.name;
      if (plan.id !== null) about.target = `plan ${plan.id}`;
      refuse(plan, input);
      const steps = now.decision.steps.filter((step) => save || step.do !== "save");
      if (steps.length === 0) return { plan, release: null };
      const applying = { ports, now, steps, input, signal: caller.signal };
      const recording = await recordingOf(applying, caller, message);
      noteProcesses(about, ports, recording.head.before);
      const envFiles = await orRefused(recording, async () => {
        const copies = await ports.releases.copyIn(recording.head.id, now.envFiles);
        await begin();
        return copies;
      });
      const boots = await hearing(ports, () => run(applying, recording));
      const left = (await planned(ports, place, now.content)).plan.summary;
      const count = Object.values(left).reduce((sum, one) => sum + one, 0);
      if (count > 0) throw await half(recording, `The plan is not empty after the last step: ${count} left.`);
      return {
        plan,
        release: await recording.end("applied", { left: leftAfter(ports, now, { envFiles, save, boots }) }),
      };
    });
  return audited(ports, caller, () => about, attempt);
}

interface Applying {
  readonly ports: Ports;
  readonly now: Planned;
  readonly steps: readonly DecidedStep[];
  readonly input: Input;
  readonly signal: AbortSignal | undefined;
}

function recordingOf(
  { ports, now, steps: decided }: Applying,
  caller: Caller,
  message: string | undefined,
): Promise<Recording> {
  const { plan, left, running, settingsOf } = now;
  const { environment, git, id } = plan;
  const steps = decided.map(({ do: kind, app, pmIds }) => ({ do: kind, app, pmIds }));
  const renamed = Object.fromEntries(decided.flatMap((step) => (formerNameOf(step) ? [namesOf(step)] : [])));
  const keepReleases = Math.max(...decided.map(({ app }) => settingsOf(app).keepReleases));
  const subject = { environment, git, plan: id, steps, renamed, left, message, running, keepReleases };
  const probeOf = formerProbe(left, (app) => settingsOf(app).health);
  return begun(ports, caller, { ...subject, probeOf });
}

/** Hears meanwhile which processes call themselves ready. */
export async function hearing<T>({ processes }: Ports, work: () => Promise<T>): Promise<T> {
  await processes.hearReady(true);
  try {
    return await work();
  } finally {
    await processes.hearReady(false);
  }
}

/** Nothing was changed yet, so a failure is not half an apply. */
async function orRefused<T>(recording: Recording, prepare: () => Promise<T>): Promise<T> {
  try {
    return await prepare();
  } catch (error) {
    await recording.end("refused").catch(() => undefined);
    throw error;
  }
}

async function run(applying: Applying, recording: Recording): Promise<ReadonlyMap<string, number>> {
  const { ports, now, steps, signal } = applying;
  const { loaded } = now.content;
  const boots = new Map<string, number>();
  if (loaded === undefined) return boots;
  const owed = new Map<number, Promise<unknown>>();
  const running = {
    ports,
    loaded,
    expecting: now.expecting,
    running: now.running,
    demandOf: demandsOf(applying),
    owed: ({ pmId }: ProcessRecord, answer: Promise<unknown>) => void owed.set(pmId, answer),
    booted: (app: string, bootMs: number) => void boots.set(app, Math.max(bootMs, boots.get(app) ?? 0)),
  };
  for (const [index, step] of steps.entries()) {
    if (signal?.aborted) throw await half(recording, "It was interrupted between two steps.");
    let touched = index;
    try {
      const targets = await targetsOf(running, step);
      await recording.step(index, "begun");
      touched = index + 1;
      await runStep(running, step, targets);
      await recording.step(index, "done");
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      await orUnrecorded(recording.step(index, "failed", error.message));
      throw await failed(applying, recording, { index, touched, error, owed });
    }
  }
  return boots;
}

/** After a failure, the return of the apps counts more than its record: the disk may be full. */
async function orUnrecorded(written: Promise<unknown>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
  }
}

/** The condition for the processes of an app. */
function demandsOf({ now, input }: Applying) {
  return (app: string): { probe: AppProbe | undefined; deadlineMs: number; minHealthyMs: number } => {
    const settings = now.settingsOf(app);
    const { minHealthyMs = settings.minHealthyMs } = input;
    const deadlineMs = settings.deadlineMs + Math.max(0, minHealthyMs - settings.minHealthyMs);
    return { probe: now.probes.get(app), deadlineMs: input.timeoutMs ?? deadlineMs, minHealthyMs };
  };
}

interface Failed {
  readonly index: number;
  /** Steps that may have changed something. */
  readonly touched: number;
  readonly error: SvcmError;
  /** Answers of PM2 to come. */
  readonly owed: ReadonlyMap<number, Promise<unknown>>;
}

/** Gives the apps of the touched steps their former definitions back, the last first. */
async function failed(
  applying: Applying,
  recording: Recording,
  { index, touched, error, owed }: Failed,
): Promise<SvcmError> {
  const { ports, steps, now, input } = applying;
  const { head } = recording;
  const add = (event: ReleaseEvent): Promise<void> => orUnrecorded(recording.add(event));
  const apps = [...new Set(steps.slice(0, touched).flatMap((step) => (isOfAnApp(step) ? [step.app] : [])))];
  const code = error.body.code ?? foreignCode(error.kind);
  const failing = head.steps[index]?.app ?? "";
  const why = error.message.startsWith(`${failing} `) ? error.message : `${failing}: ${error.message}`;
  if (apps.length === 0) {
    await orUnrecorded(recording.end("refused", { code }));
    const kind = code === "PROCESS_CHANGED" ? "APPLY_REVERTED" : error.kind;
    return new SvcmError(kind, { ...error.body, details: `${why} No process was changed.` });
  }
  const mayRevert = input.revert ?? apps.every((app) => now.settingsOf(app).autoRevert);
  if (!mayRevert) return half(recording, `${why} It was left as it is, because svcm may not revert it.`, code);
  const demandOf = demandsOf(applying);
  const { reasons, pinned } = await returnApps(
    ports,
    { head, add, demandOf, busy: new Set(owed.keys()) },
    apps.toReversed(),
  );
  // PM2 refuses another reload of a process until then.
  await Promise.all(owed.values());
  if (reasons.length > 0) return half(recording, `${why} Not everything could be returned. ${reasons.join(" ")}`, code);
  const names = apps.flatMap((app) => namesIn(head, app));
  const left = leftReturned(head.left, { undone: head, apps: names, pinned, by: head.id });
  await orUnrecorded(recording.end("reverted", { code, left }));
  const hint = "Read what failed, correct the declaration or the code, and apply again.";
  const pins = pinned.size === 0 ? "" : ` With the former env files: ${[...pinned].join(", ")}.`;
  return new SvcmError("APPLY_REVERTED", { code, details: `${why} Every touched app runs as before.${pins}`, hint });
}

async function half(recording: Recording, reason: string, code?: ErrorCode): Promise<SvcmError> {
  await orUnrecorded(recording.end("half", code === undefined ? {} : { code }));
  return new SvcmError("APPLY_HALF", {
    ...(code !== undefined && { code }),
    details: `${reason} Some apps may run as before, and others as declared.`,
    hint: `To go on: svcm apply. To go back: svcm rollback ${recording.head.id}`,
  });
}
