import type { InputOf } from "../../api/inputs.ts";
import type { Plan, Release } from "../../api/rollout.ts";
import { withAudit } from "../../audit/with-audit.ts";
import type { Caller } from "../../caller.ts";
import { noteProcesses, type ActionSubject } from "../../pm2/control/recorded.ts";
import { LOOK_EVERY_MS } from "../../pm2/control/verify.ts";
import type { Ports } from "../../ports/index.ts";
import { formerNameOf, namesOf } from "../step.ts";
import { planned, type Planned } from "../planning.ts";
import { readEcosystem } from "../../pm2/ecosystem-file.ts";
import { leftAfter } from "./left.ts";
import { recover } from "./preflight.ts";
import { begun, formerProbe, type Recording } from "./recording.ts";
import { recordedStep } from "./recorded-step.ts";
import { refuse } from "./refuse.ts";
import { half, runSteps, type Applying } from "./run-steps.ts";

export const LOCK_PATIENCE_MS = 60_000;
/** Longer than PM2 waits by default for a process to end. */
const RESTART_MS = 5000;

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
export function applied(ports: Ports, input: Input, caller: Caller): Promise<Applied> {
  const { lockTimeoutMs = LOCK_PATIENCE_MS } = input;
  const about: ActionSubject = { action: "plan.apply" };
  return withAudit(
    ports,
    caller,
    () => about,
    (begin) => ports.releases.exclusively(lockTimeoutMs, () => underLock(ports, input, { caller, about, begin })),
  );
}

interface Attempt {
  readonly caller: Caller;
  readonly about: ActionSubject;
  readonly begin: () => Promise<void>;
}

async function underLock(ports: Ports, input: Input, { caller, about, begin }: Attempt): Promise<Applied> {
  const { environment, service, apps, prune, preflight, save = true } = input;
  const place = { environment, service, apps, prune, preflight };
  const done = await recordedStep(ports, caller.step);
  if (done !== undefined) return { plan: (await planned(ports, place)).plan, release: done };
  await caller.step?.confirm();
  const content = readEcosystem(ports, { environment, service });
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
  const recording = await recordingOf(applying, caller);
  noteProcesses(about, ports, recording.head.before);
  const envFiles = await orRefused(recording, async () => {
    const copies = await ports.releases.copyIn(recording.head.id, now.envFiles);
    await begin();
    return copies;
  });
  const boots = await hearing(ports, () => runSteps(applying, recording));
  const count = await stepsLeft(ports, () => planned(ports, place, now.content));
  if (count > 0) throw await half(recording, `The plan is not empty after the last step: ${count} left.`);
  const release = await recording.end("applied", { left: leftAfter(ports, now, { envFiles, save, boots }) });
  return { plan, release };
}

/** If a user restarts a process at this moment, it is stopped only briefly, and its step goes away. */
async function stepsLeft({ clock }: Ports, plan: () => Promise<Planned>): Promise<number> {
  const until = clock.elapsed() + RESTART_MS;
  for (;;) {
    const { summary } = (await plan()).plan;
    if (summary.resume === 0 || clock.elapsed() >= until)
      return Object.values(summary).reduce((sum, one) => sum + one, 0);
    await clock.pause(LOOK_EVERY_MS);
  }
}

function recordingOf({ ports, now, steps: decided, input }: Applying, caller: Caller): Promise<Recording> {
  const { plan, content, left, running, settingsOf } = now;
  const { git, id } = plan;
  const steps = decided.map(({ do: kind, app, pmIds }) => ({ do: kind, app, pmIds }));
  const renamed = Object.fromEntries(decided.flatMap((step) => (formerNameOf(step) ? [namesOf(step)] : [])));
  const keepReleases = Math.max(...decided.map(({ app }) => settingsOf(app).keepReleases));
  const subject = {
    environment: content.name,
    git,
    plan: id,
    steps,
    renamed,
    left,
    message: input.message,
    running,
    keepReleases,
  };
  const probeOf = formerProbe(left, (app) => settingsOf(app).health);
  return begun(ports, caller, { ...subject, probeOf });
}

export async function hearing<T>({ processes }: Ports, work: () => Promise<T>): Promise<T> {
  await processes.hearReady(true);
  try {
    return await work();
  } finally {
    await processes.hearReady(false);
  }
}

/** Nothing has changed yet, so a failure does not leave the apply half done. */
async function orRefused<T>(recording: Recording, prepare: () => Promise<T>): Promise<T> {
  try {
    return await prepare();
  } catch (error) {
    await recording.end("refused").catch(() => undefined);
    throw error;
  }
}
