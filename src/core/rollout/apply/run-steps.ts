import { foreignCode, type ErrorCode } from "../../api/code.ts";
import type { InputOf } from "../../api/inputs.ts";
import { SvcmError } from "../../errors.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import type { Ports } from "../../ports/index.ts";
import type { Planned } from "../planning.ts";
import { namesIn, type ReleaseEvent } from "../release.ts";
import type { AppProbe } from "../settings/probe.ts";
import { isOfAnApp, type DecidedStep } from "../step.ts";
import { leftReturned } from "./left.ts";
import type { Recording } from "./recording.ts";
import { returnApps } from "./return-apps.ts";
import { runStep, targetsOf } from "./run-step.ts";

export interface Applying {
  readonly ports: Ports;
  readonly now: Planned;
  readonly steps: readonly DecidedStep[];
  readonly input: InputOf<"rollout.apply">;
  readonly signal: AbortSignal | undefined;
}

/** Returns how long each app took to be ready. */
export async function runSteps(applying: Applying, recording: Recording): Promise<ReadonlyMap<string, number>> {
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

/** After a failure, restoring the apps matters more than recording it: the disk may be full. */
async function orUnrecorded(written: Promise<unknown>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
  }
}

function demandsOf({ now, input }: Applying) {
  return (app: string): { probe: AppProbe | undefined; deadlineMs: number; minHealthyMs: number } => {
    const settings = now.settingsOf(app);
    const { timeoutMs: deadlineMs = settings.deadlineMs, minHealthyMs = settings.minHealthyMs } = input;
    return { probe: now.probes.get(app), deadlineMs, minHealthyMs };
  };
}

interface Failed {
  readonly index: number;
  readonly touched: number;
  readonly error: SvcmError;
  readonly owed: ReadonlyMap<number, Promise<unknown>>;
}

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
  if (!mayRevert) return half(recording, `${why} svcm left it as it is, because a revert is switched off.`, code);
  const demandOf = demandsOf(applying);
  const { reasons, pinned } = await returnApps(
    ports,
    { head, add, demandOf, busy: new Set(owed.keys()) },
    apps.toReversed(),
  );
  // Until then, PM2 refuses another reload of the process.
  await Promise.all(owed.values());
  if (reasons.length > 0)
    return half(recording, `${why} svcm could not restore everything. ${reasons.join(" ")}`, code);
  const names = apps.flatMap((app) => namesIn(head, app));
  const left = leftReturned(head.left, { undone: head, apps: names, pinned, by: head.id });
  await orUnrecorded(recording.end("reverted", { code, left }));
  const log = failing === "" ? "" : `See its log: svcm logs ${failing}. `;
  const hint = `${log}Correct the declaration or the code, then run svcm apply again.`;
  const pins = pinned.size === 0 ? "" : ` With the former env files: ${[...pinned].join(", ")}.`;
  return new SvcmError("APPLY_REVERTED", { code, details: `${why} Every touched app runs as before.${pins}`, hint });
}

export async function half(recording: Recording, reason: string, code?: ErrorCode): Promise<SvcmError> {
  await orUnrecorded(recording.end("half", code === undefined ? {} : { code }));
  return new SvcmError("APPLY_HALF", {
    ...(code !== undefined && { code }),
    details: `${reason} Some apps may run as before, and others as declared.`,
    hint: `To continue: svcm apply. To go back: svcm rollback ${recording.head.id}`,
  });
}
