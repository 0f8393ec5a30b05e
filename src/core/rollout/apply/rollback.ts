import type { InputOf } from "../../api/inputs.ts";
import type { Release } from "../../api/rollout.ts";
import { withAudit } from "../../audit/with-audit.ts";
import type { Caller } from "../../caller.ts";
import { SvcmError } from "../../errors.ts";
import { noteProcesses, type ActionSubject } from "../../pm2/control/recorded.ts";
import type { Ports } from "../../ports/index.ts";
import { hearing, LOCK_PATIENCE_MS } from "./apply.ts";
import { leftReturned } from "./left.ts";
import { recover } from "./preflight.ts";
import { namesIn } from "../release.ts";
import { begun, formerProbe, type Recording } from "./recording.ts";
import { recordedStep, releaseOfRollout } from "./recorded-step.ts";
import { returnApps } from "./return-apps.ts";
import { rollbackPlanned, type PlannedRollback } from "./rollback-plan.ts";

type Input = InputOf<"rollout.rollback">;

/**
 * Files, code and data stay; an app whose env file has changed reads a copy of the old one. The rollback is itself a
 * release, so it can be undone.
 * @throws {SvcmError} RELEASE_NOT_FOUND, NOTHING_TO_ROLL_BACK, PLAN_STALE, APPLY_LOCKED, APPLY_HALF, PM2_FAILED,
 * AUDIT_FAILED
 */
export function rolledBack(ports: Ports, input: Input, caller: Caller): Promise<Release> {
  const { apps, plan: asked, lockTimeoutMs = LOCK_PATIENCE_MS } = input;
  const about: ActionSubject = { action: "plan.rollback" };
  const attempt = (begin: () => Promise<void>): Promise<Release> =>
    ports.releases.exclusively(lockTimeoutMs, async () => {
      const done = await recordedStep(ports, caller.step);
      if (done !== undefined) return done;
      await caller.step?.confirm();
      await recover(ports);
      const release = caller.step === undefined ? input.release : await releaseOfRollout(ports, caller.step);
      const now = await rollbackPlanned(ports, { release, apps });
      about.target = `release ${now.undone.id}`;
      if (asked !== undefined && asked !== now.plan.id) throw stale(asked, now.plan.id);
      const recording = await recordingOf(ports, now, caller);
      noteProcesses(about, ports, recording.head.before);
      await begin();
      const how = { timeoutMs: input.timeoutMs, signal: caller.signal };
      return await hearing(ports, () => run(ports, now, recording, how));
    });
  return withAudit(ports, caller, () => about, attempt);
}

function stale(asked: string, present: string): SvcmError {
  return new SvcmError("PLAN_STALE", {
    details: `The plan ${asked} is out of date: a process or an env file changed. The plan is now ${present}.`,
    hint: "Read the new plan: svcm rollback --dry-run",
  });
}

function recordingOf(ports: Ports, now: PlannedRollback, caller: Caller): Promise<Recording> {
  const { undone, plan, running, left, settingsOf } = now;
  const { environment, git, id, renamed } = undone;
  const steps = plan.steps.map(({ app, pmIds }) => ({ do: "return" as const, app, pmIds }));
  const keepReleases = Math.max(1, ...steps.map(({ app }) => settingsOf(app).keepReleases));
  const probeOf = formerProbe(left, (app) => settingsOf(app).health);
  const subject = { environment, git, plan: plan.id, steps, renamed, left, running, keepReleases, probeOf };
  return begun(ports, caller, { ...subject, undoes: id });
}

interface How {
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

async function run(
  ports: Ports,
  { undone, plan, left, settingsOf }: PlannedRollback,
  recording: Recording,
  { timeoutMs, signal }: How,
): Promise<Release> {
  const demandOf = (app: string) => {
    const { deadlineMs, minHealthyMs } = settingsOf(app);
    return { deadlineMs: timeoutMs ?? deadlineMs, minHealthyMs };
  };
  const failures: string[] = [];
  const allPinned = new Set<string>();
  for (const [index, { app }] of plan.steps.entries()) {
    if (signal?.aborted) {
      failures.push("It was interrupted between two apps.");
      break;
    }
    await recording.step(index, "begun");
    const { reasons, pinned } = await returnApps(ports, { head: undone, add: recording.add, demandOf }, [app]);
    await recording.step(index, reasons.length === 0 ? "done" : "failed", reasons[0]);
    failures.push(...reasons);
    for (const one of pinned) allPinned.add(one);
  }
  await ports.processes.save();
  if (failures.length > 0) {
    await recording.end("half");
    throw new SvcmError("APPLY_HALF", { details: `svcm could not restore everything. ${failures.join(" ")}` });
  }
  const apps = plan.steps.flatMap(({ app }) => namesIn(undone, app));
  const { unsavedAtMs: _unsaved, ...saved } = left;
  const returned = leftReturned(saved, { undone, apps, pinned: allPinned, by: recording.head.id });
  return await recording.end("applied", { left: returned });
}
