/** Code that is not as the plan showed it, once the steps have run. */
import { SvcmError } from "../../api/errors.ts";
import type { UnknownPart } from "../../api/drift.ts";
import type { Plan } from "../../api/rollout.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { isDataName } from "../../running/code-files.ts";
import type { Uncommitted } from "../../running/port-running-code.ts";
import { nameList } from "../../words/text.ts";
import type { Planned } from "../planning.ts";
import type { ApplyPorts } from "../ports.ts";
import { listUncommitted } from "../read-verdicts.ts";
import type { AppliedState, Journal, ReleaseHead } from "../release.ts";
import { formerCode } from "./rollback-link.ts";
import { checkoutCommand, findLastGood, ignoreUnrecorded } from "./failure.ts";
import type { ReleaseRecorder } from "./recording.ts";
import type { RollbackPlan } from "../../api/rollout-requests.ts";
import type { HasRevisions } from "../../files/ports.ts";
import type { EnvironmentRequest } from "../../project/resolve.ts";
import { ownMember } from "../../words/record.ts";
import { type HasDeployed, withDeployed } from "../port-deployed.ts";

interface CodeAfter {
  readonly changed: readonly string[];
  readonly unknown: readonly UnknownPart[];
}

export async function readCodeAfter(
  ports: ApplyPorts,
  planned: Planned,
  running: readonly ProcessRecord[],
): Promise<CodeAfter> {
  const after = await listChangedCode(ports, planned);
  const isKnown = planned.uncommitted.problem === null;
  return { changed: isKnown ? after.paths : [], unknown: unknownCode(planned, running, after) };
}

/** Committed or written while the steps ran, so the plan did not show it. */
async function listChangedCode(ports: ApplyPorts, { plan: { git }, startedCode }: Planned): Promise<Uncommitted> {
  if (git === null) return { paths: [], problem: null };
  const { paths, problem } = await listUncommitted(ports, startedCode, git.commit);
  const changed = paths.filter((path) => !git.dirty.includes(path));
  // Data that no commit has is what the app itself wrote at its start.
  const own = changed.some(isDataName) ? await listUncommitted(ports, startedCode) : { paths: [], problem: null };
  return { paths: changed.filter((path) => !isDataName(path) || !own.paths.includes(path)), problem };
}

/** If the plan could not read all of it, what differs now may have differed before. */
export function unknownCode(
  { plan: { git }, startedCode, uncommitted }: Planned,
  running: readonly ProcessRecord[],
  after: Uncommitted,
): UnknownPart[] {
  const problem = git === null ? null : (uncommitted.problem ?? after.problem);
  if (problem === null) return [];
  const differing = after.paths.length === 0 ? "" : `; now ${nameList(after.paths)} differs from it`;
  const reason = `its code could not be compared with the commit: ${problem}${differing}`;
  return [...new Set(startedCode.map(({ app }) => app))].map((app) => {
    const pmIds = running.flatMap(({ name, pmId }) => (name === app ? [pmId] : []));
    return { app, pmIds, part: "code", reason };
  });
}

interface OtherCode {
  readonly paths: readonly string[];
  readonly left: AppliedState;
}

/** The apps run and have no step, but no plan has shown their code. */
export async function endWithOtherCode(
  recording: ReleaseRecorder,
  plan: Plan,
  { paths, left }: OtherCode,
): Promise<SvcmError> {
  const code = "APPLY_CODE_CHANGED";
  const commit = plan.git?.commit ?? "";
  const planned = commit.slice(0, 10);
  const reason = `While the apply ran, ${nameList(paths)} changed.`;
  const back = checkoutCommand(commit, plan);
  const failure = { app: "", reason, errorLines: [], back };
  await ignoreUnrecorded(recording.end("half", { code, failure, left }));
  return new SvcmError("APPLY_HALF", {
    code,
    failure,
    details: `${reason} Some apps may run code that the plan did not show, instead of that of ${planned}.`,
    hint: `Review it: git diff ${planned}. To go back: ${back}`,
  });
}

/** The code that runs after a rollback. */

/**
 * After a rollback of a deploy, the code of the folder before runs; its commit is unknown if no kept release names it.
 * A rollback in place leaves the files as they are, whichever release has changed them since.
 */
export async function gitAfterwards(
  ports: HasDeployed & HasRevisions,
  undone: ReleaseHead,
  journals: readonly Journal[],
): Promise<ReleaseHead["git"]> {
  const { deployed } = ports;
  const { before, deploy, environment, left, steps } = undone;
  if (deploy === undefined) {
    const paths = before.flatMap((one) => one.paths ?? []);
    // An apply since a deploy runs in its folder.
    const own = journals.find(({ head }) => isIn(head.deploy, paths));
    if (own !== undefined) return own.head.git;
    const [service] = steps.flatMap(({ app }) => ownMember(left.apps, app)?.service || []);
    return await readPresentCommit(ports, { environment, service });
  }
  const { root } = deploy;
  const id = formerCode(undone);
  const former = journals.find(({ head }) => head.deploy?.root === root && head.deploy.id === id);
  if (former === undefined || former.head.git === null) return null;
  const dirty = id === null ? [] : await deployed.changedFiles({ id, root });
  return { ...former.head.git, dirty };
}

function isIn(deploy: ReleaseHead["deploy"], paths: readonly string[]): boolean {
  if (deploy === undefined || deploy.id === null) return false;
  const folder = `${deploy.root}/releases/${deploy.id}/`;
  return paths.some((path) => path.startsWith(folder));
}

/** Of the current release, where there is one; null if its folder is gone. */
async function readPresentCommit(
  ports: HasDeployed & HasRevisions,
  request: EnvironmentRequest,
): Promise<ReleaseHead["git"]> {
  try {
    const { revisions } = await withDeployed(ports, request);
    return (await revisions.readState(() => Promise.resolve([]))) ?? null;
  } catch (error) {
    if (error instanceof SvcmError) return null;
    throw error;
  }
}

/** Of the apps that return; after a deploy, their former folder has the former code. */
export function findKeptCode(
  { id, environment, deploy, steps }: ReleaseHead,
  git: ReleaseHead["git"],
  journals: readonly Journal[],
  apps: readonly string[],
): RollbackPlan["keptCode"] {
  if (deploy !== undefined || !steps.some(({ app, newCode }) => newCode && apps.includes(app))) return undefined;
  const older = journals.slice(journals.findIndex(({ head }) => head.id === id) + 1);
  const commit = git?.commit ?? null;
  const former = findLastGood(older, { id, environment }) ?? null;
  // The former code was put back.
  return commit !== null && commit === former ? undefined : { commit, former };
}
