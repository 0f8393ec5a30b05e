import {
  type Plan,
  type Release,
  type RollbackPlan,
  changedFilesText,
  failureLines,
  heldText,
  keptCodeText,
  leftOutText,
  linkText,
  returnText,
  toPrintable,
  unknownTexts,
} from "../../core/index.ts";
import { groupBy } from "../../core/words/record.ts";
import { nameList } from "../../core/words/text.ts";
import { paint } from "./screen.ts";

/** Apps that a plan leaves as they are, although they are not as declared, or may not be. */
export function openLines({ held, leftOut, unknown }: Pick<Plan, "held" | "leftOut" | "unknown">): string[] {
  return [
    ...held.map((one) => `! ${heldText(one, toPrintable)}`),
    ...leftOut.map((one) => `! ${leftOutText(one, toPrintable)}`),
    ...unknownTexts(unknown, toPrintable).map((one) => `? ${one}`),
  ];
}

export function renderRelease(release: Release): string {
  const { id, outcome, steps, code, undoes, failure, git, keptCode, cannotUndo, unknown = [] } = release;
  const colour = outcome === "applied" ? paint.green : outcome === "half" ? paint.red : paint.yellow;
  const lines = steps.map(({ do: kind, app, pmIds, phase, reason, durationMs }) => {
    const ids = pmIds.length === 0 ? "" : ` (id ${pmIds.join(", ")})`;
    const what = app === "" ? kind : `${kind} ${app}${ids}`;
    const time = durationMs === undefined ? "" : ` in ${(durationMs / 1000).toFixed(1)} s`;
    return `  ${what}: ${phase}${phase === "done" ? time : ""}${reason === undefined ? "" : `. ${reason}`}`;
  });
  const what = undoes === undefined ? "" : ` undoes ${undoes}`;
  return [
    `Release ${id}${what}: ${colour(outcome)}${code === undefined ? "" : ` (${code})`}.`,
    ...lines,
    ...(keptCode === undefined ? [] : [`  ${keptCodeText(keptCode)}`]),
    ...(git === null || git.dirty.length === 0 ? [] : [`  ${paint.yellow(changedFilesText(git))}`]),
    ...unknownTexts(unknown, toPrintable).map((one) => paint.yellow(`? ${one}`)),
    ...[...groupBy(cannotUndo, ({ what: lost }) => lost)].map(
      ([lost, apps]) => `  A rollback cannot bring back ${LOST[lost]} of ${apps.map(({ app }) => app).join(", ")}.`,
    ),
    ...failureText(failure),
  ].join("\n");
}

const LOST: Readonly<Record<Release["cannotUndo"][number]["what"], string>> = {
  code: "the replaced code",
  envFile: "the former env file",
};

function failureText(failure: Release["failure"]): string[] {
  if (failure === undefined) return [];
  const { back } = failure;
  return [
    ...failureLines(failure).map((line) => `  ${line}`),
    ...(back === undefined ? [] : [`${paint.bold("To go back:")} ${back}`]),
  ];
}

export function renderRollbackPlan(plan: RollbackPlan): string {
  const { id, changed, steps, keptCode, code, current, stays, apart = [] } = plan;
  const lines = steps.map((step) => `  ${step.app}: ${returnText(step)}`);
  const undone = undoneText(plan);
  const head = changed
    ? `Undoing ${undone} would change:`
    : `No definition has changed since before ${undone}. Code and files stay as they are.`;
  const kept = changed && keptCode !== undefined ? [`  ${keptCodeText(keptCode)}`] : [];
  const link = [
    ...(current === undefined ? [] : [`  ${linkText(current)}`]),
    ...(stays === undefined ? [] : [`  ${staysText(stays)}`]),
    ...(apart.length === 0 ? [] : [`  ${apartText(apart)}`]),
  ];
  const files = code === undefined ? [] : [`  ${paint.yellow(changedFilesText(code))}`];
  const saves = changed ? ["  Then PM2's list is saved for the next boot."] : [];
  return [head, ...lines, ...link, ...kept, ...files, ...saves, `Plan ${id}.`].join("\n");
}

/** `current stays at releases/2026-a, because worker does not return.`, with paths */
function staysText({ path, at, apps }: NonNullable<RollbackPlan["stays"]>): string {
  return `${path} stays at ${at ?? "nothing"}, because ${nameList(apps)} ${apps.length === 1 ? "does" : "do"} not return.`;
}

/** An apply compares with the release of the link. */
function apartText(apps: readonly string[]): string {
  return `Then ${nameList(apps)} ${apps.length === 1 ? "runs" : "run"} another release than current leads to; svcm plan shows what an apply would do.`;
}

/** `release 20261122-044103-b8f9 (commit a108b28002 for production, "faster search")` */
function undoneText({ release, commit, message, undoes, environment }: RollbackPlan): string {
  const what = commit === null ? environment : `commit ${commit.slice(0, 10)} for ${environment}`;
  const notes = [...(undoes === undefined ? [] : [`a rollback of ${undoes}`]), ...(message ? [`"${message}"`] : [])];
  return `release ${release} (${[what, ...notes].join(", ")})`;
}
