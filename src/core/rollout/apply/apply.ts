import { foreignCode, type ErrorCode } from "../../api/code.ts";
import type { InputOf } from "../../api/inputs.ts";
import type { Plan, Release } from "../../api/rollout.ts";
import { audited } from "../../audit/audited.ts";
import type { Caller } from "../../caller.ts";
import { SvcmError } from "../../errors.ts";
import { noteProcesses, type ActionSubject } from "../../pm2/control/recorded.ts";
import type { Ports } from "../../ports/index.ts";
import { planned, type Planned } from "../planning.ts";
import { begun, type Recording } from "./recording.ts";
import { returnApps } from "./return-apps.ts";
import { runStep } from "./run-step.ts";

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
 * @throws {SvcmError} PLAN_STALE, WORKTREE_DIRTY, PROCESS_ACTION_REFUSED, APPLY_LOCKED, APPLY_REVERTED, APPLY_HALF,
 *   AUDIT_FAILED, and those of a plan
 */
export function applied(ports: Ports, input: Input, caller: Caller): Promise<Applied> {
  const { plan: _plan, allowDirty: _dirty, message, timeoutMs, lockTimeoutMs = LOCK_PATIENCE_MS, ...place } = input;
  const about: ActionSubject = { action: "plan.apply" };
  const attempt = (begin: () => Promise<void>): Promise<Applied> =>
    ports.releases.exclusively(lockTimeoutMs, async () => {
      const now = await planned(ports, place);
      const { plan, decision, running } = now;
      about.environment = now.content.name;
      if (plan.id !== null) about.target = `plan ${plan.id}`;
      refuse(plan, input);
      if (!plan.changed) return { plan, release: null };
      const { environment, git, id } = plan;
      const steps = decision.steps.map(({ do: kind, app, pmIds }) => ({ do: kind, app, pmIds }));
      const recording = await begun(ports, caller, { environment, git, plan: id, steps, message }, running);
      noteProcesses(about, ports, recording.head.before);
      await begin();
      await run(ports, now, recording, { timeoutMs, signal: caller.signal });
      const left = (await planned(ports, place, now.content)).plan.summary;
      const count = Object.values(left).reduce((sum, one) => sum + one, 0);
      if (count > 0) throw await half(recording, `The plan is not empty after the last step: ${count} left.`);
      return { plan, release: await recording.end("applied") };
    });
  return audited(ports, caller, () => about, attempt);
}

function refuse(plan: Plan, { plan: asked, allowDirty }: Input): void {
  const { id, issues, changed, git } = plan;
  if (asked !== undefined && asked !== id)
    throw new SvcmError("PLAN_STALE", {
      plan,
      details: `The plan ${asked} is out of date: the ecosystem file, an env file or a process changed. The plan is now ${id}.`,
      hint: "Read the new plan: svcm plan",
    });
  const dirty = git?.dirty ?? [];
  if (changed && dirty.length > 0 && !allowDirty)
    throw new SvcmError("WORKTREE_DIRTY", {
      details: `No commit holds what would run, because these files have changes: ${dirty.join(", ")}.`,
      hint: "Commit the changes, or apply them with --allow-dirty.",
    });
  const errors = issues.filter(({ severity }) => severity === "error");
  const [issue] = errors;
  if (issue === undefined) return;
  const { code, message: details } = issue;
  throw new SvcmError("PROCESS_ACTION_REFUSED", { code: foreignCode(code), details, issues: errors });
}

interface How {
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

async function run(ports: Ports, now: Planned, recording: Recording, { timeoutMs, signal }: How): Promise<void> {
  const { content, decision, expecting, running: before } = now;
  const { loaded } = content;
  if (loaded === undefined) return;
  for (const [index, step] of decision.steps.entries()) {
    if (signal?.aborted) throw await half(recording, "It was interrupted between two steps.");
    await recording.step(index, "begun");
    try {
      await runStep({ ports, loaded, expecting, before, timeoutMs }, step);
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      await recording.step(index, "failed", error.message);
      throw await returned(ports, recording, { index, error, timeoutMs });
    }
    await recording.step(index, "done");
  }
}

interface Failed {
  readonly index: number;
  readonly error: SvcmError;
  readonly timeoutMs: number | undefined;
}

/** Gives the apps of the steps up to the failed one their former definitions back, the last first. */
async function returned(ports: Ports, recording: Recording, failed: Failed): Promise<SvcmError> {
  const { index, error, timeoutMs } = failed;
  const { head, add } = recording;
  const apps = head.steps.slice(0, index + 1).flatMap((step) => (step.do === "save" ? [] : [step.app]));
  const code = error.body.code ?? foreignCode(error.kind);
  const why = `${head.steps[index]?.app}: ${error.message}`;
  const left = await returnApps(ports, { head, add, timeoutMs }, [...new Set(apps)].toReversed());
  if (left.length > 0) return half(recording, `${why} Not everything could be returned. ${left.join(" ")}`, code);
  await recording.end("reverted", code);
  const hint = "Read what failed, correct the declaration or the code, and apply again.";
  return new SvcmError("APPLY_REVERTED", { code, details: `${why} Every touched app runs as before.`, hint });
}

async function half(recording: Recording, reason: string, code?: ErrorCode): Promise<SvcmError> {
  await recording.end("half", code);
  return new SvcmError("APPLY_HALF", {
    ...(code !== undefined && { code }),
    details: `${reason} Some apps may run as before, and others as declared.`,
    hint: `To go on: svcm apply. To go back: svcm rollback ${recording.head.id}`,
  });
}
