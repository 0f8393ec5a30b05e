import { groupBy } from "../../words/record.ts";
import { nameList, pluralize, shellQuote } from "../../words/text.ts";
/** The renderer quotes names and values. */
import type { UnknownPart } from "../../api/drift.ts";
import type { KeptCode, Plan, PlanReason, PlanStep, Release, ReleaseFailure } from "../../api/rollout.ts";
import type { RollbackPlan } from "../../api/rollout-requests.ts";
import { NOT_RUN_YET } from "../../running/finite-state.ts";
import { KEPT_BY_RESTART } from "../../running/code-evidence.ts";
import { holderText } from "../../running/port-holders.ts";

/** Distinguishes text of a file or of PM2 from svcm's own words. */
type Quote = (text: string) => string;

/** `production: ecosystem.production.config.cjs at 1d6f1f0c2a -> PM2 of /srv/app/.pm2`, quoted. */
export function subjectText({ fileName, from, git, pm2 }: Plan, quote: Quote): string {
  const file = git === null ? quote(fileName) : `${quote(fileName)} at ${quote(shortCommit(git.commit))}`;
  const dirty =
    git !== null && git.dirty.length > 0 ? `, with changes to ${git.dirty.map((path) => quote(path)).join(", ")}` : "";
  if (from !== undefined) return `${quote(from.revision)} (${quote(shortCommit(from.commit))}) to ${file}${dirty}`;
  return `${file}${dirty} to PM2 of ${quote(pm2?.home ?? "")}`;
}

function shortCommit(commit: string): string {
  return commit.slice(0, 10);
}

/** `1 to start, 2 to update` */
export function countSteps({ summary, exists, changed, held, unknown, issues }: Plan): string {
  if (!exists) return "no ecosystem file, so nothing to do";
  const counts = Object.entries(summary).filter(([, count]) => count > 0);
  if (counts.length === 0 && changed) return "only PM2's list to save";
  if (counts.length === 0 && held.length > 0) return `no steps, and ${held.length} held back`;
  if (counts.length === 0 && unknown.length > 0) return `no step, but ${doubtText(unknown)}`;
  if (counts.length === 0 && issues.some(({ severity }) => severity === "error")) return "no step, because of errors";
  return counts.length === 0 ? "nothing to do" : counts.map(([kind, count]) => `${count} to ${kind}`).join(", ");
}

/** `reload 2 instances, one by one: no request is refused` */
export function stepText(step: PlanStep): string {
  return `${actionText(step)}${effectText(step)}`;
}

/**
 * A successor listens before an instance ends. An app that does not finish its answers at SIGINT loses those, and an
 * instance that goes may have had a port that no other one has.
 */
function effectOnNone({ do: kind, method, instances: { from, to } = { from: 0, to: 0 } }: PlanStep): string {
  return method === "reload" || (kind === "scale" && from < to) ? ": no request is refused" : "";
}

function effectText(step: PlanStep): string {
  const { disruption, why, port } = step;
  if (port !== undefined) return `: requests move from port ${port.from} to ${port.to}`;
  const isFailing = why.some(({ state }) => state === "failing");
  const isAway = disruption === "down" && why.some(({ field, state }) => field === "app" && state === "missing");
  if (!isFailing && !isAway) return disruption === "none" ? effectOnNone(step) : DISRUPTION_TEXTS[disruption];
  return disruption === "down"
    ? ": it is down until it starts"
    : ": the other instances go on, and change only if this succeeds";
}

/** `reload 2 instances, one by one` */
export function actionText(step: PlanStep): string {
  return ACTION_TEXTS[step.do](step);
}

const ACTION_TEXTS: Readonly<Record<PlanStep["do"], (step: PlanStep) => string>> = {
  preflight: () => "start once on a spare port, then delete that process",
  register: (step) =>
    `give PM2 the definition without a run${instancesText(step.instances?.to)}${isOfFailedTask(step) ? `, which svcm run ${shellQuote(step.app)} begins` : ""}`,
  start: ({ instances }) => `start${instancesText(instances?.to)}`,
  resume: ({ pmIds }) => `start again${instancesText(pmIds.length)}`,
  update: ({ method = "restart", pmIds }) =>
    pmIds.length > 1 ? `${method}${instancesText(pmIds.length)}, one by one` : method,
  scale: ({ instances }) => `scale from ${instances?.from} to ${pluralize(instances?.to ?? 0, "instance")}`,
  replace: ({ instances }) => `delete, then start${instancesText(instances?.to)}`,
  remove: () => "delete",
  save: () => "save PM2's list for the next boot",
};

/** Its new definition hides the failure, and no step runs it. */
export function isOfFailedTask({ do: kind, why }: Pick<PlanStep, "do" | "why">): boolean {
  return kind === "register" && why.some(({ field, running }) => field === "app" && running === "failed");
}

function instancesText(count = 1): string {
  return count > 1 ? ` ${count} instances` : "";
}

const DISRUPTION_TEXTS: Readonly<Record<Exclude<PlanStep["disruption"], "none">, string>> = {
  partial: ": each instance is away while it restarts",
  gap: ": it is away until it runs again",
  down: ": it does not run from then on",
};

export function reasonTexts({ why }: PlanStep, quote: Quote): string[] {
  const fields = [...new Set(why.map(({ field }) => field))];
  return fields.map((field) => {
    const reasons = why.filter((reason) => reason.field === field);
    return `${quote(field)}: ${reasons.map((reason) => reasonText(reason, quote)).join(", ")}`;
  });
}

function reasonText({ field, state, key, declared, running, details }: PlanReason, quote: Quote): string {
  if (state === "requested") return details === undefined ? "restart as requested" : `unknown: ${quote(details)}`;
  if (details !== undefined) return quote(details);
  if (field === "env") return `${quote(key ?? "")} ${KEY_TEXTS[state]}`;
  if (state === "failing") return failingText(Number(declared), Number(running));
  if (field === "app" && state !== "different") return appText(state, running, quote);
  if (state === "stale") return `${quote(String(declared))} was written after the process started`;
  if (state === "absent") return `the process runs in ${quote(String(running))}, which does not exist`;
  return changeText(running, declared, quote);
}

function changeText(from: PlanReason["running"], to: PlanReason["declared"], quote: Quote): string {
  return from === null && to === null ? "changed" : `${valueText(from, quote)} to ${valueText(to, quote)}`;
}

function failingText(processes: number, healthy: number): string {
  const count = processes - healthy;
  if (processes === 1) return "does not start: PM2 keeps restarting it, has given up, or could not start it";
  return `${count} of ${processes} instances ${count === 1 ? "does" : "do"} not start`;
}

function appText(state: PlanReason["state"], running: PlanReason["running"], quote: Quote): string {
  return APP_TEXTS[state] ?? (running === null ? "PM2 does not know it" : `is ${quote(String(running))}`);
}

const APP_TEXTS: Partial<Readonly<Record<PlanReason["state"], string>>> = {
  unexpected: "no file declares it any more",
};

const KEY_TEXTS: Readonly<Record<PlanReason["state"], string>> = {
  absent: "added",
  different: "changed",
  failing: "unchanged",
  missing: "added",
  requested: "unchanged",
  stale: "removed",
  stopped: "unchanged",
  unexpected: "removed",
};

function valueText(value: PlanReason["declared"], quote: Quote): string {
  return value === null ? "PM2's default" : quote(String(value));
}

/** Advice, and facts that a reader may not expect. */
export const NOTES: Readonly<Record<PlanStep["notes"][number], string>> = {
  CODE_NOT_RESTORABLE: "svcm knows no place that has the code that runs, so a rollback cannot restore it.",
  DUMP_STALE: "PM2's list was not saved since the last apply, so a reboot would start the processes from before it.",
  ENV_FILE_UNKNOWN_BEFORE: "svcm has no copy of the env file as the process read it, so a rollback cannot restore it.",
  GAP_BY_FORK: 'With exec_mode: "cluster" and instances: 1, this step would refuse no request.',
  INTERPRETER_IGNORED_IN_CLUSTER: "In cluster mode PM2 ignores the interpreter, and runs its own Node.js.",
  LISTEN_TIMEOUT_SHORT:
    "The app took more than 80 % of its listen_timeout to be ready, and PM2 waits no longer than that. Declare a longer one.",
  NO_PROBE:
    "No health probe: a process only has to stay online. rollout.health in deployments.yaml or svcm.yaml declares one.",
  PINNED: "A rollback made the process read a copy of its former env file. This step ends that.",
  PREFLIGHT_IMPOSSIBLE:
    "No preflight: no variable holds the port of a health probe, so the app cannot start on a spare port.",
};

interface NotedStep {
  readonly step: PlanStep;
  /** Those of this step alone. */
  readonly notes: PlanStep["notes"];
}

/** A note of several apps is said once, with their names. */
export function partNotes(steps: readonly PlanStep[]): {
  readonly own: readonly NotedStep[];
  readonly shared: readonly (readonly [note: PlanStep["notes"][number], apps: readonly string[]])[];
} {
  const notes = [...new Set(steps.flatMap((step) => step.notes))];
  const appsOf = notes.map((note) => {
    const noted = steps.filter((step) => step.notes.includes(note));
    return [note, [...new Set(noted.map(({ app }) => app))]] as const;
  });
  const shared = appsOf.filter(([, apps]) => apps.length > 1);
  const isShared = (note: PlanStep["notes"][number]): boolean => shared.some(([one]) => one === note);
  return { own: steps.map((step) => ({ step, notes: step.notes.filter((note) => !isShared(note)) })), shared };
}

/** `svcm cannot tell whether 1 app runs what is declared` */
export function doubtText(unknown: Plan["unknown"]): string {
  const count = new Set(unknown.map(({ app }) => app)).size;
  return `svcm cannot tell whether ${pluralize(count, "app")} ${count === 1 ? "runs" : "run"} what is declared`;
}

/** `worker: cannot tell whether the code changed: it was only touched. Next: svcm apply --restart worker` */
export function unknownText({ app, part, reason }: UnknownPart, quote: Quote): string {
  const [question, next] =
    part === "state"
      ? ["it works", reason === NOT_RUN_YET ? "run" : "why"]
      : [`the ${part} changed`, "apply --restart"];
  const doubt = `${quote(app)}: cannot tell whether ${question}: ${quote(reason)}.`;
  // The reason itself says how it ends.
  return reason.includes(KEPT_BY_RESTART) ? doubt : `${doubt} Next: svcm ${next} ${quote(shellQuote(app))}`;
}

/** A doubt of the code that many apps share, such as one of a slow machine, is one text. */
export function unknownTexts(unknown: readonly UnknownPart[], quote: Quote): string[] {
  const groups = groupBy(unknown, ({ app, part, reason }) =>
    JSON.stringify([reason, part, part === "code" && reason.includes(KEPT_BY_RESTART) ? "" : app]),
  );
  return [...groups.values()].flatMap(([first, ...rest]) => {
    if (first === undefined) return [];
    const apps = new Set([first, ...rest].map(({ app }) => app));
    return [unknownText({ ...first, app: nameList([...apps]) }, quote)];
  });
}

export function undeclaredText({ name, pmIds, owned }: Plan["undeclared"][number], quote: Quote): string {
  const step = owned ? "only --prune deletes it" : "no step touches it";
  return `PM2 lists ${quote(name)} (id ${pmIds.join(", ")}), and this environment declares no such app; ${step}`;
}

/** `web (id 0) is stopped by alice since 14:02; no step starts it` */
export function heldText({ name, pmIds, state, by, since }: Plan["held"][number], quote: Quote): string {
  const subject = `${quote(name)} (id ${pmIds.join(", ")})`;
  const from = since === null ? "" : ` since ${since}`;
  if (state === "running") return `${subject} runs now${from}, so it keeps its definition until an apply after its run`;
  if (state === "failed")
    return `${subject} is a task whose last run${since === null ? "" : `, begun ${since},`} failed, so no step runs it again; to run it: svcm run ${quote(shellQuote(name))}`;
  const who = by === null ? "a command to PM2" : quote(by);
  return `${subject} is stopped by ${who}${from}, so no step starts it; to start it: svcm apply --app ${quote(shellQuote(name))}`;
}

export function leftOutText({ name, pmIds }: Plan["leftOut"][number], quote: Quote): string {
  return `${quote(name)} (id ${pmIds.join(", ")}) differs and serves this request, so no step touches it; run svcm plan in a terminal`;
}

/** The lines that follow the reason of a failure. */
export function failureLines({ errorLines, port }: Pick<ReleaseFailure, "errorLines" | "port">): string[] {
  const [first, ...rest] = errorLines;
  const held = port && `Port ${port.port} is taken by ${holderText(port)}.`;
  return [...(first === undefined ? [] : [`It wrote: ${first}`, ...rest]), ...(held ? [held] : [])];
}

/** Follows a sentence on what returns. */
export function keptCodeText({ commit, former }: KeptCode): string {
  const now = commit === null ? "The new code stays" : `The code of ${shortCommit(commit)} stays`;
  const back = former === null ? "the former revision" : shortCommit(former);
  return `${now}, because a rollback leaves files as they are: check out ${back}, and run svcm apply.`;
}

export function changedFilesText({ commit, dirty }: NonNullable<Release["git"]>): string {
  return `Not as in the commit ${shortCommit(commit)}: ${nameList(dirty)}.`;
}

/** `current will lead to 2026-a instead of 2026-b.`, with paths */
export function linkText({ path, from, to }: NonNullable<RollbackPlan["current"]>): string {
  if (to === null) return `${path} is removed.`;
  return `${path} will lead to ${to}${from === null ? "" : ` instead of ${from}`}.`;
}

/** `returns to its former definition (id 3); it is away until it runs again.` */
export function returnText({
  changed,
  instances: { from, to },
  pmIds,
  disruption,
  pinned,
  mayDiffer,
}: RollbackPlan["steps"][number]): string {
  if (!changed) return "has its former definition";
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
  return `${what}${disruption === "none" ? "" : DISRUPTION_TEXTS[disruption].replace(":", ";")}.${copy}`;
}
