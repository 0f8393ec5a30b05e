import {
  type Release,
  type RollbackPlan,
  failureLines,
  keptCodeText,
  toPrintable,
  unknownText,
} from "../../core/index.ts";
import { groupBy } from "../../core/words/lists.ts";
import { nameList, pluralize } from "../../core/words/text.ts";
import { paint } from "./screen.ts";

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
    ...(git === null || git.dirty.length === 0 ? [] : [`  ${paint.yellow(changedText(git))}`]),
    ...unknown.map((one) => paint.yellow(`? ${unknownText(one, toPrintable)}`)),
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
  const { id, changed, steps, keptCode, code, current } = plan;
  const lines = steps.map((step) => `  ${step.app}: ${rollbackStepText(step)}`);
  const undone = undoneText(plan);
  const head = changed
    ? `Undoing ${undone} would change:`
    : `No definition has changed since before ${undone}. Code and files stay as they are.`;
  const stays = changed && keptCode !== undefined ? [`  ${keptCodeText(keptCode)}`] : [];
  const link = current === undefined ? [] : [`  ${linkText(current)}`];
  const files = code === undefined ? [] : [`  ${paint.yellow(changedText(code))}`];
  const saves = changed ? ["  Then PM2's list is saved for the next boot."] : [];
  return [head, ...lines, ...link, ...stays, ...files, ...saves, `Plan ${id}.`].join("\n");
}

function linkText({ path, from, to }: Exclude<RollbackPlan["current"], undefined>): string {
  if (to === null) return `${path} is removed, as before the first deploy.`;
  return from === null ? `${path} is created, and leads to ${to}.` : `${path} moves from ${from} to ${to}.`;
}

function changedText({ commit, dirty }: Exclude<Release["git"], null>): string {
  return `Not as in the commit ${commit.slice(0, 10)}: ${nameList(dirty)}.`;
}

/** `release 20261122-044103-b8f9 (commit a108b28002 for production, "faster search")` */
function undoneText({ release, commit, message, undoes, environment }: RollbackPlan): string {
  const what = commit === null ? environment : `commit ${commit.slice(0, 10)} for ${environment}`;
  const notes = [...(undoes === undefined ? [] : [`a rollback of ${undoes}`]), ...(message ? [`"${message}"`] : [])];
  return `release ${release} (${[what, ...notes].join(", ")})`;
}

function rollbackStepText({
  changed,
  instances,
  pmIds,
  disruption,
  pinned,
  mayDiffer,
}: RollbackPlan["steps"][number]): string {
  if (!changed) return "has its former definition";
  const { from, to } = instances;
  const what =
    to === 0
      ? "is deleted"
      : from === to
        ? `returns to its former definition (id ${pmIds.join(", ")})`
        : `goes from ${from} to ${pluralize(to, "instance")}, with its former definition`;
  const which = mayDiffer
    ? "the last copy of its env file, which may differ from what it had read,"
    : "a copy of its former env file";
  const present =
    mayDiffer && to > 0
      ? " It reads its env files as they are now, and nothing shows what it had read. Check them before."
      : "";
  const check = mayDiffer ? " Check the env file, which that apply reads." : "";
  const copy = pinned ? ` It reads ${which} until the next apply.${check}` : present;
  return `${what}${DISRUPTION_TEXTS[disruption]}.${copy}`;
}

const DISRUPTION_TEXTS: Readonly<Record<RollbackPlan["steps"][number]["disruption"], string>> = {
  none: "",
  partial: "; each instance is away while it restarts",
  gap: "; it is away until it runs again",
  down: "; it does not run from then on",
};
