import { nameList, shellQuote } from "../../words/text.ts";
import { ownMember } from "../../words/record.ts";
import type { ApplyPorts } from "../ports.ts";
import type { ErrorCode } from "../../api/issue.ts";
import type { InputOf } from "../../api/inputs.ts";
import type { ReleaseFailure, Plan } from "../../api/rollout.ts";
import type { Caller } from "../../access/operation.ts";
import { SvcmError } from "../../api/errors.ts";
import { omitUndefined } from "../../api/omit-undefined.ts";
import type { Planned } from "../planning.ts";
import {
  toJournals,
  type AppliedState,
  type FormerProcess,
  toRelease,
  type Journal,
  type ReleaseHead,
} from "../release.ts";
import { failureLines } from "../report/words.ts";
import type { DecidedStep } from "../step.ts";
import type { ReleaseRecorder } from "./recording.ts";
import { findWayWithoutDaemon } from "./without-daemon.ts";

export interface ApplyRun {
  readonly ports: ApplyPorts;
  readonly planned: Planned;
  readonly steps: readonly DecidedStep[];
  readonly input: InputOf<"rollout.apply">;
  readonly caller: Caller;
}

interface FailedStep {
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

export function endUntouched(recording: ReleaseRecorder, command: string): Promise<SvcmError> {
  const code = "APPLY_REVERTED";
  return endRefused(recording, new SvcmError(code, { hint: `To continue: ${command}` }), {
    app: "",
    reason: "It was interrupted before its first step.",
    code,
    evidence: { errorLines: [] },
  });
}

interface Reverted {
  /** Of the touched apps, also those from before the apply. */
  readonly names: readonly string[];
  readonly left: AppliedState;
  readonly pinned: ReadonlySet<string>;
  readonly silent: ReadonlySet<string>;
}

export async function endReverted(
  run: ApplyRun,
  recording: ReleaseRecorder,
  { app, reason, code, evidence }: FailedStep,
  { names, left, pinned, silent }: Reverted,
): Promise<SvcmError> {
  const back = await wayBack(run, recording, "reverted", app);
  const failure = { app, reason, ...evidence, ...omitUndefined({ back }) };
  await ignoreUnrecorded(recording.end("reverted", { code, failure, left }));
  const certain = [...pinned].filter((name) => ownMember(recording.head.left.apps, name)?.mayDiffer !== true);
  const pins = certain.length === 0 ? "" : ` With the former env files: ${certain.join(", ")}.`;
  const mute =
    silent.size === 0 ? "" : ` Started as before, ${nameList([...silent])} did not report that it was ready either.`;
  const why = app === "" ? "" : `Read why: svcm why ${shellQuote(app)}. `;
  return new SvcmError("APPLY_REVERTED", {
    code,
    failure,
    details: [`${reason} ${stateBefore(recording.head, names)}${pins}${mute}`, ...failureLines(evidence)].join("\n"),
    hint: `${code === "PROCESS_CHANGED" ? "" : why}${reverted(code)}${back === undefined ? "" : ` To take the files back too: ${back}`}`,
  });
}

/** A former definition alone may not be all of what ran: an app may be down otherwise, or have other code or values. */
export function stateBefore(head: StateBefore, names: readonly string[]): string {
  const { before, left, steps, cannotUndo = [] } = head;
  if (names.length > 0 && !before.some(({ name }) => names.includes(name)))
    return "As before, PM2 does not have the touched apps.";
  const among = (apps: readonly string[]): string[] => [...new Set(apps)].filter((name) => names.includes(name));
  const down = among(before.filter(isDown).map(({ name }) => name));
  const code = among(steps.filter(({ newCode }) => newCode).map(({ app }) => app));
  const copied = names.filter((name) => ownMember(left.apps, name)?.mayDiffer === true);
  const lost = among(cannotUndo.filter(({ what }) => what === "envFile").map(({ app }) => app));
  const uncopied = lost.filter((name) => !copied.includes(name));
  const more = [
    [down, `Down before: ${down.join(", ")}.`],
    [code, `The new code stays, because it is in the folder of the former one: ${code.join(", ")}.`],
    [
      copied,
      `With svcm's last copy of the env files, which may differ from what ran: ${copied.join(", ")}. Check the files, which the next apply reads.`,
    ],
    [uncopied, `With the env files as they are now: ${uncopied.join(", ")}.`],
  ] as const;
  const told = more.filter(([apps]) => apps.length > 0).map(([, text]) => text);
  if (told.length === 0) return "Every touched app runs as before.";
  return ["Every touched app has its former definition again.", ...told].join(" ");
}

type StateBefore = Pick<ReleaseHead, "before" | "left" | "steps" | "cannotUndo">;

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
  failed?: Omit<FailedStep, "code"> & Partial<Pick<FailedStep, "code">> & { readonly state?: string },
): Promise<SvcmError> {
  const { app = "", reason = what, code, evidence = { errorLines: [] } } = failed ?? {};
  const { state, back, onwards } = (await findWayWithoutDaemon(run.ports)) ?? {
    state: failed?.state ?? MIXED,
    back: await wayBack(run, recording, "half", app),
    onwards: PUT_CODE_BACK,
  };
  const failure = { app, reason, ...evidence, ...omitUndefined({ back }) };
  await ignoreUnrecorded(recording.end("half", { failure, ...omitUndefined({ code }) }));
  const absence = absenceText(recording.head, back);
  const details = [...(failed === undefined ? [] : [reason]), what, state, absence].filter(Boolean).join(" ");
  const why =
    failed === undefined ? "To continue: svcm apply. " : app === "" ? "" : `Read why: svcm why ${shellQuote(app)}. `;
  return new SvcmError("APPLY_HALF", {
    ...omitUndefined({ code }),
    failure,
    details: [details, ...failureLines(evidence)].join("\n"),
    hint: `${why}${back === undefined ? onwards : `To go back: ${back}`}`,
  });
}

/** As after a daemon that was killed before the apply. */
function absenceText({ steps, before, renamed = {} }: ReleaseHead, back: string | undefined): string {
  const had = new Set(before.map(({ name }) => name));
  const isNew = ({ do: kind, app }: ReleaseHead["steps"][number]): boolean =>
    kind === "start" && !had.has(app) && ownMember(renamed, app) === undefined;
  const apps = [...new Set(steps.filter(isNew).map(({ app }) => app))];
  if (apps.length === 0 || back?.startsWith("svcm rollback ") !== true) return "";
  return `PM2 did not have ${nameList(apps)} before, so the way back leaves PM2 without ${apps.length === 1 ? "it" : "them"}.`;
}

const MIXED = "Some apps may run as before, and others as declared.";

export const CHANGED_LATER = "APP_CHANGED_LATER" as const;

interface LateFailure extends Pick<FailedStep, "app" | "evidence"> {
  /** With a step before, which have another one now. */
  readonly apps: readonly string[];
  readonly ended: readonly string[];
}

/** Each app has passed its gate, so none runs as before. */
export function endAfterSteps(
  run: ApplyRun,
  recording: ReleaseRecorder,
  { app, apps, ended, evidence }: LateFailure,
): Promise<SvcmError> {
  const isOne = (ended.length > 0 ? ended : apps).length === 1;
  const what =
    ended.length > 0
      ? `${nameList(ended)} ended after ${isOne ? "it was" : "they were"} healthy.`
      : `${nameList(apps)} ${isOne ? "is" : "are"} no longer as declared after ${isOne ? "its step" : "their steps"}.`;
  const reason = `Every step is done, but ${what}`;
  const state = "No app with a step runs as before.";
  return endHalf(run, recording, "", { app, reason, evidence, state, code: CHANGED_LATER });
}

export const OTHER_APPS_CHANGED = "OTHER_APPS_CHANGED";

/** To undo the steps, which are done, would not help an app without one. */
export async function endWithOthers(
  recording: ReleaseRecorder,
  { app, apps, evidence }: Pick<FailedStep, "app" | "evidence"> & { readonly apps: readonly string[] },
): Promise<SvcmError> {
  const [verb, had] = apps.length === 1 ? ["is", "it"] : ["are", "they"];
  const reason = `Every step is done, but ${nameList(apps)} ${verb} no longer as declared; ${had} had no step.`;
  const failure = { app, reason, ...evidence };
  await ignoreUnrecorded(recording.end("half", { code: OTHER_APPS_CHANGED, failure }));
  return new SvcmError("APPLY_HALF", {
    code: OTHER_APPS_CHANGED,
    failure,
    details: [reason, ...failureLines(evidence)].join("\n"),
    hint: othersHint(app, "Its step: svcm plan"),
  });
}

export function othersHint(app: string, onwards: string): string {
  return `Read why: svcm why ${shellQuote(app)}. ${onwards}`;
}

async function wayBack(
  { ports, planned, steps }: ApplyRun,
  { head }: ReleaseRecorder,
  outcome: "reverted" | "half",
  failed: string,
): Promise<string | undefined> {
  const app = failed === "" ? appOfInterrupted(head) : failed;
  const journals = toJournals(await ports.releases.list().catch(() => []));
  const script = planned.expected.find(({ name }) => name === app)?.script;
  const isNewCode = steps.some((step) => step.app === app && step.why.some(({ field }) => field === "code"));
  return findWayBack({ head, outcome, app, script, isNewCode, choices: planned.plan.choices, journals });
}

/** No app failed: one whose code was replaced in place decides on the way back. */
export function appOfInterrupted({ steps }: Pick<ReleaseHead, "steps">): string {
  return steps.find(({ newCode }) => newCode)?.app ?? "";
}

/** After a failure, restoring the apps matters more than recording it: the disk may be full. */
export async function ignoreUnrecorded(written: Promise<unknown>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
  }
}

interface FailedApply {
  readonly head: Pick<ReleaseHead, "id" | "environment" | "before" | "git">;
  readonly outcome: "reverted" | "half";
  readonly app: string;
  /** The script that the app would run. */
  readonly script: string | undefined;
  /** The app was to run other code. */
  readonly isNewCode: boolean;
  readonly choices: Plan["choices"];
  /** All releases, newest first. */
  readonly journals: readonly Journal[];
}

/** The hint if no command does. */
export const PUT_CODE_BACK =
  "To return to the former code: check out its revision, build it, or point the link back. Then run svcm apply.";

/**
 * The command that returns to what ran before, without a loss. If the code was replaced in place, only its former
 * commit brings it back: a rollback would start the new code. `undefined` if there is nothing to go back to.
 */
export function findWayBack({
  head,
  outcome,
  app,
  script,
  isNewCode,
  choices,
  journals,
}: FailedApply): string | undefined {
  const { id, environment, before, git } = head;
  const former = before.filter(({ name }) => name === app);
  const isInPlace = former.some(({ paths = [] }) => script !== undefined && paths.includes(script));
  const good = findLastGood(journals, head);
  if (isInPlace && git !== null && good !== undefined && good !== git.commit)
    return checkoutCommand(good, { environment, choices });
  return outcome === "half" && !(isInPlace && isNewCode) ? `svcm rollback ${id}` : undefined;
}

export function checkoutCommand(
  commit: string,
  { environment, choices: { service } }: Pick<Plan, "environment" | "choices">,
): string {
  const ofService = service === undefined ? "" : ` --service ${service}`;
  return `git checkout ${commit.slice(0, 10)} && svcm apply --environment ${environment}${ofService}`;
}

/** The commit of the newest release that was applied in this environment and not undone. */
export function findLastGood(
  journals: readonly Journal[],
  { id, environment }: Pick<ReleaseHead, "id" | "environment">,
): string | undefined {
  const applied = journals.filter((journal) => toRelease(journal, null).outcome === "applied");
  const undone = new Set(applied.flatMap(({ head }) => head.undoes ?? []));
  const good = applied.find(
    ({ head }) =>
      head.id !== id && head.environment === environment && head.undoes === undefined && !undone.has(head.id),
  );
  return good?.head.git?.commit;
}
