import { ownMember } from "../../words/record.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { HasStamps, HasFiles } from "../../files/ports.ts";
import { listDeployRoots, type ApplyPorts, type HasReleases } from "../ports.ts";
import { requireOwnRelease } from "../started-environment.ts";
import type { InputOf } from "../../api/inputs.ts";
import type { RollbackPlan } from "../../api/rollout-requests.ts";
import { SvcmError } from "../../api/errors.ts";
import { isUp } from "../control/verify.ts";
import { isStopped } from "../../running/state.ts";
import { appKind } from "../../running/code-evidence.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { omitUndefined } from "../../api/omit-undefined.ts";
import { pmIdsOf, isAppStep } from "../step.ts";
import { definitionText, shortId } from "../plan.ts";
import {
  envFileCopies,
  toJournals,
  findAppliedState,
  namesOfApp,
  RELEASE_ID,
  toRelease,
  hasReadCopies,
  type AppliedApp,
  type FormerProcess,
  type Journal,
  type AppliedState,
  type ReleaseEvent,
  type ReleaseHead,
} from "../release.ts";
import { findKeptCode, gitAfterwards } from "./changed-code.ts";
import { formerCode, planLink } from "./rollback-link.ts";
import { readSettings, type SettingsOf } from "../settings.ts";
import { mergeSettings } from "../../project/rollout-settings.ts";

export interface PlannedRollback {
  readonly plan: RollbackPlan;
  /** With the state to return to; the release of the request may only have finished it. */
  readonly undone: ReleaseHead;
  /** Apps that the request leaves as the release left them. */
  readonly staying: readonly string[];
  readonly git: ReleaseHead["git"];
  readonly running: readonly ProcessRecord[];
  readonly appliedState: AppliedState;
  readonly settingsOf: SettingsOf;
}

/**
 * Last app first. Changes nothing.
 * @throws {SvcmError} RELEASE_NOT_FOUND, PROCESS_NOT_FOUND, NOTHING_TO_ROLL_BACK, PM2_FAILED, APPLY_REFUSED
 */
export async function planRollback(
  ports: ApplyPorts,
  { release, apps: requested = [] }: InputOf<"rollout.rollback-plan">,
): Promise<PlannedRollback> {
  const lists = await ports.releases.list();
  const journals = toJournals(lists);
  const { head: found } = findRelease(lists, release);
  const undone = beginningOf(journals, found);
  const appliedState = findAppliedState(journals);
  const { list, digest } = await ports.processes.withHomeKey();
  // A rollback starts no daemon, so without one its plan could not be kept.
  const running = await list();
  const { steps, staying } = await planReturns(ports, undone, { requested, running, digest });
  const apps = steps.map(({ app }) => app);
  requirePaths(ports, undone, steps);
  const changing = new Set(steps.filter((step) => step.changed).flatMap(({ pmIds }) => pmIds));
  const touched = running.filter(({ pmId }) => changing.has(pmId));
  requireOwnRelease(ports, undone, touched, await listDeployRoots(ports));
  const names = new Set(apps.flatMap((app) => namesOfApp(undone, app)));
  const definitions = running.filter(({ name }) => names.has(name)).map(definitionText);
  const place = await planLink(ports, undone, { returning: apps, staying, running });
  const id = shortId(digest(JSON.stringify({ release: undone.id, steps, running: definitions, ...place })));
  const { environment, startedAt, message } = undone;
  const changed = place.current !== undefined || steps.some((step) => step.changed);
  const git = await gitAfterwards(ports, undone, journals);
  return {
    plan: {
      id,
      release: found.id,
      startedAt,
      commit: undone.git?.commit ?? null,
      ...omitUndefined({
        message,
        undoes: undone.undoes,
        keptCode: findKeptCode(undone, git, journals, apps),
        ...place,
      }),
      ...(undone.deploy !== undefined && git !== null && git.dirty.length > 0 && { code: git }),
      environment,
      changed,
      steps,
    },
    undone,
    staying,
    git,
    running,
    appliedState,
    settingsOf: await readSettingsOrDefaults(ports, appliedState),
  };
}

type ReturnStep = RollbackPlan["steps"][number];

interface ReturnFacts {
  readonly running: readonly ProcessRecord[];
  readonly digest: (text: string) => string;
}

async function planReturns(
  ports: HasReleases,
  undone: ReleaseHead,
  { requested, ...facts }: ReturnFacts & { readonly requested: readonly string[] },
): Promise<{ readonly steps: ReturnStep[]; readonly staying: string[] }> {
  const touched = [...new Set(undone.steps.flatMap((step) => (isAppStep(step) ? [step.app] : [])))];
  const unknown = requested.find((name) => !touched.some((app) => namesOfApp(undone, app).includes(name)));
  if (unknown !== undefined) throw notTouched(unknown, undone, touched);
  const all = await Promise.all(touched.toReversed().map((app) => planReturn(ports, undone, app, facts)));
  const isRequested = ({ app }: ReturnStep): boolean =>
    requested.length === 0 || namesOfApp(undone, app).some((name) => requested.includes(name));
  const staying = all.filter((step) => step.changed && !isRequested(step)).map(({ app }) => app);
  return { steps: all.filter(isRequested), staying };
}

function notTouched(name: string, { id }: ReleaseHead, touched: readonly string[]): SvcmError {
  return new SvcmError("PROCESS_NOT_FOUND", {
    details: `The release ${id} changed no app named ${JSON.stringify(name)}. Accepted: ${touched.join(", ") || "none"}.`,
    hint: `Read what it changed: svcm releases show ${id}`,
  });
}

async function planReturn(
  { releases }: HasReleases,
  undone: ReleaseHead,
  app: string,
  { running, digest }: ReturnFacts,
): Promise<ReturnStep> {
  const names = namesOfApp(undone, app);
  const pins = await releases.changedEnvFiles(envFileCopies(undone, names));
  const own = running.filter(({ name }) => names.includes(name));
  const former = undone.before.filter(({ name }) => names.includes(name));
  const mayDiffer = names.some((name) => isDoubtful(ownMember(undone.left.apps, name), former));
  return createReturnStep(app, former, own, { isPinned: pins.size > 0, mayDiffer, digest });
}

/** Also of an older svcm, which did not record which processes had read the copies. */
function isDoubtful(app: AppliedApp | undefined, former: readonly FormerProcess[]): boolean {
  if (app === undefined || app.envFiles.length === 0) return false;
  const own = former.filter(({ pid }) => pid !== null);
  return app.mayDiffer === true || (own.length > 0 && !hasReadCopies(app, own));
}

/** The newest release that still has an effect. A repeated rollback finishes one that was cut off. */
function findNewest(journals: readonly Journal[]): Journal | undefined {
  const newest = journals.find((journal) => !WITHOUT_EFFECT.has(toRelease(journal, null).outcome));
  const { undoes, outcome } = newest === undefined ? {} : toRelease(newest, null);
  const cutOff = outcome === "half" ? journals.find(({ head }) => head.id === undoes) : undefined;
  return cutOff ?? newest;
}

/** At the end of the name of a release folder. */
const COMMIT_DIGITS = 7;

/** PM2 would end the present processes, and could not start the former ones. */
function requirePaths({ stamps }: HasStamps, undone: ReleaseHead, steps: RollbackPlan["steps"]): void {
  const started = new Set(steps.filter((step) => step.changed).flatMap(({ app }) => namesOfApp(undone, app)));
  const former = undone.before.filter((one) => started.has(one.name) && !one.isStopped);
  const missing = stamps.missing(former.flatMap(({ paths = [] }) => paths));
  const [path] = missing;
  if (path === undefined) return;
  const names = new Set(former.filter(({ paths = [] }) => paths.includes(path)).map(({ name }) => name));
  const code = formerCode(undone);
  throw new SvcmError("APPLY_REFUSED", {
    code: "RELEASE_GONE",
    path,
    details: `The release ${undone.id} cannot be undone: ${[...names].join(", ")} ran with ${path}, which no longer exists. No process was touched.`,
    hint:
      code === null
        ? "Put the folder back, or check out a good revision, and run svcm apply."
        : `Deploy its code again: svcm deploy ${code.slice(-COMMIT_DIGITS)}, or svcm deploy --from with its release file.`,
  });
}

/** An invalid document must not prevent a rollback. */
async function readSettingsOrDefaults(
  ports: HasFacts & HasFiles & HasWorkspace,
  { apps }: AppliedState,
): Promise<SettingsOf> {
  try {
    return await readSettings(ports, (app) => ownMember(apps, app)?.service ?? "");
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    return () => mergeSettings();
  }
}

function createReturnStep(
  app: string,
  former: readonly FormerProcess[],
  now: readonly ProcessRecord[],
  {
    isPinned,
    mayDiffer,
    digest,
  }: { readonly isPinned: boolean; readonly mayDiffer: boolean; readonly digest: (text: string) => string },
): ReturnStep {
  // The definition has PM2's number and unique id, too.
  const isAsBefore = (record: ProcessRecord): boolean =>
    former.some(
      ({ definition, pid, isStopped: wasStopped }) =>
        definition === digest(definitionText(record)) &&
        wasStopped === isStopped(record) &&
        (!isPinned || pid === record.pid),
    );
  const changing = now.filter((record) => !isAsBefore(record));
  const away = changing.filter(isUp);
  const isRolled = away.every(({ execMode }) => execMode === "cluster");
  const isJob = now.every(({ declaration }) => appKind(declaration.settings) === "job");
  const isDown = former.every((one) => one.isStopped && !isJob) && away.length > 0;
  const isGap = away.length > 0 && !isRolled;
  return {
    do: "return",
    app,
    pmIds: pmIdsOf(changing),
    instances: { from: now.length, to: former.length },
    disruption: isDown ? "down" : isGap ? (away.length < now.length ? "partial" : "gap") : "none",
    pinned: isPinned && former.length > 0,
    ...(mayDiffer && former.length > 0 && { mayDiffer }),
    changed: changing.length > 0 || now.length !== former.length,
  };
}

/**
 * By default the newest release that still has an effect, or the one that a rollback was to undo that was cut off.
 * @throws {SvcmError} RELEASE_NOT_FOUND, NOTHING_TO_ROLL_BACK
 */
export function findRelease(lists: readonly (readonly ReleaseEvent[])[], id: string | undefined): Journal {
  const journals = toJournals(lists);
  const newest = findNewest(journals);
  if (id === undefined && newest === undefined)
    throw new SvcmError("NOTHING_TO_ROLL_BACK", {
      details:
        journals.length === 0
          ? "This PM2 has no release of this repository. svcm records one for each apply that changes something."
          : "Each kept release was refused or reverted, so none of them has an effect.",
    });
  const found = id === undefined ? newest : journals.find(({ head }) => head.id === id);
  if (found !== undefined) return found;
  throw releaseNotFound(
    journals.map(({ head }) => head.id),
    id ?? "",
  );
}

/**
 * A deploy that finished an interrupted one found its apps moved, so only the record of the first attempt has the state
 * before.
 */
export function beginningOf(journals: readonly Journal[], release: ReleaseHead): ReleaseHead {
  const { deploy } = release;
  let beginning = release;
  if (deploy === undefined || deploy.id === null) return release;
  for (const journal of journals.slice(journals.findIndex(({ head }) => head.id === release.id) + 1)) {
    const { head } = journal;
    if (head.deploy?.root !== deploy.root || head.deploy.id !== deploy.id || head.undoes !== undefined) break;
    const { outcome } = toRelease(journal, null);
    if (outcome === "half") beginning = head;
    else if (!WITHOUT_EFFECT.has(outcome)) break;
  }
  return beginning;
}

/** Ids begin with their time, so an id below all others belongs to a deleted release. */
function releaseNotFound(ids: readonly string[], id: string): SvcmError {
  const oldest = ids.at(-1);
  const isGone = oldest !== undefined && RELEASE_ID.test(id) && id < oldest;
  const why = isGone
    ? `The release ${id} is no longer kept: the oldest one is ${oldest}.`
    : `No release has the id ${JSON.stringify(id.slice(0, 80))}.`;
  return new SvcmError("RELEASE_NOT_FOUND", {
    ...(isGone && { code: "RELEASE_GONE" }),
    details: `${why} Accepted: ${ids.join(", ") || "none; there is no release"}.`,
    hint: isGone
      ? "Go back by Git: check out the revision, and run svcm apply. keepReleases of rollout keeps more than ten."
      : "svcm keeps the newest ten: svcm releases",
  });
}

const WITHOUT_EFFECT: ReadonlySet<string> = new Set(["refused", "reverted"]);
