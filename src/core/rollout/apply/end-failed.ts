import type { ApplyPorts } from "./ports.ts";
import type { ErrorCode } from "../../api/code.ts";
import type { InputOf } from "../../api/inputs.ts";
import type { ReleaseFailure } from "../../api/rollout.ts";
import type { Caller } from "../../access/caller.ts";
import { SvcmError } from "../../api/errors.ts";

import { omitUndefined } from "../../api/omit-undefined.ts";
import type { Planned } from "../planning.ts";
import { toJournals, type AppliedState, type FormerProcess, type ReleaseHead } from "../release.ts";
import { failureLines } from "../report/failure-words.ts";
import type { DecidedStep } from "../step.ts";
import type { ReleaseRecorder } from "./recording.ts";
import { findWayBack, PUT_CODE_BACK } from "./way-back.ts";

export interface ApplyRun {
  readonly ports: ApplyPorts;
  readonly planned: Planned;
  readonly steps: readonly DecidedStep[];
  readonly input: InputOf<"rollout.apply">;
  readonly caller: Caller;
}

export interface FailedStep {
  readonly app: string;
  readonly reason: string;
  readonly code: ErrorCode;
  readonly evidence: Pick<ReleaseFailure, "errorLines" | "port">;
}

export async function endRefused(
  recording: ReleaseRecorder,
  error: SvcmError,
  { app, reason, code, evidence }: FailedStep,
): Promise<SvcmError> {
  const failure = { app, reason, ...evidence };
  await ignoreUnrecorded(recording.end("refused", { code, failure }));
  const kind = code === "PROCESS_CHANGED" ? "APPLY_REVERTED" : error.kind;
  const details = [`${reason} No process was changed.`, ...failureLines(evidence)].join("\n");
  return new SvcmError(kind, { ...error.body, details, failure });
}

interface Reverted {
  /** Of the touched apps, also those from before the apply. */
  readonly names: readonly string[];
  readonly left: AppliedState;
  readonly pinned: ReadonlySet<string>;
}

export async function endReverted(
  run: ApplyRun,
  recording: ReleaseRecorder,
  { app, reason, code, evidence }: FailedStep,
  { names, left, pinned }: Reverted,
): Promise<SvcmError> {
  const back = await wayBack(run, recording, "reverted", app);
  const failure = { app, reason, ...evidence, ...omitUndefined({ back }) };
  await ignoreUnrecorded(recording.end("reverted", { code, failure, left }));
  const pins = pinned.size === 0 ? "" : ` With the former env files: ${[...pinned].join(", ")}.`;
  const why = app === "" ? "" : `Read why: svcm why ${app}. `;
  return new SvcmError("APPLY_REVERTED", {
    code,
    failure,
    details: [`${reason} ${stateBefore(recording.head, names)}${pins}`, ...failureLines(evidence)].join("\n"),
    hint: `${code === "PROCESS_CHANGED" ? "" : why}${reverted(code)}${back === undefined ? "" : ` To take the files back too: ${back}`}`,
  });
}

/** An app that was down before has its former definition again, and may be down in another way. */
export function stateBefore({ before }: Pick<ReleaseHead, "before">, names: readonly string[]): string {
  const down = new Set(before.flatMap((one) => (isDown(one) && names.includes(one.name) ? [one.name] : [])));
  if (down.size === 0) return "Every touched app runs as before.";
  return `Every touched app has its former definition again. Down before: ${[...down].join(", ")}.`;
}

function isDown({ isStopped, isFailing = false }: FormerProcess): boolean {
  return isStopped || isFailing;
}

/** The act of another user is not a reason to change the code. */
function reverted(code: ErrorCode): string {
  if (code === "PROCESS_CHANGED" || code === "SIBLING_FAILING") return "Read the new plan: svcm plan";
  return "Correct the declaration or the code, then run svcm apply again.";
}

export async function endHalf(
  run: ApplyRun,
  recording: ReleaseRecorder,
  what: string,
  failed?: FailedStep,
): Promise<SvcmError> {
  const { app = "", reason = what, code, evidence = { errorLines: [] } } = failed ?? {};
  const back = await wayBack(run, recording, "half", app);
  const failure = { app, reason, ...evidence, ...omitUndefined({ back }) };
  await ignoreUnrecorded(recording.end("half", { failure, ...omitUndefined({ code }) }));
  const details = `${failed === undefined ? "" : `${reason} `}${what} Some apps may run as before, and others as declared.`;
  const onwards = failed === undefined ? "To continue: svcm apply. " : app === "" ? "" : `Read why: svcm why ${app}. `;
  return new SvcmError("APPLY_HALF", {
    ...omitUndefined({ code }),
    failure,
    details: [details, ...failureLines(evidence)].join("\n"),
    hint: `${onwards}${back === undefined ? PUT_CODE_BACK : `To go back: ${back}`}`,
  });
}

async function wayBack(
  { ports, planned, steps }: ApplyRun,
  { head }: ReleaseRecorder,
  outcome: "reverted" | "half",
  app: string,
): Promise<string | undefined> {
  const journals = toJournals(await ports.releases.list().catch(() => []));
  const script = planned.expected.find(({ name }) => name === app)?.script;
  const isNewCode = steps.some((step) => step.app === app && step.why.some(({ field }) => field === "code"));
  return findWayBack({ head, outcome, app, script, isNewCode, choices: planned.plan.choices, journals });
}

/** After a failure, restoring the apps matters more than recording it: the disk may be full. */
export async function ignoreUnrecorded(written: Promise<unknown>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
  }
}
