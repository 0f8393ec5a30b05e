/** The code that runs after a rollback. */
import { SvcmError } from "../../api/errors.ts";
import type { RollbackPlan } from "../../api/rollback-plan.ts";
import type { HasRevisions } from "../../files/ports.ts";
import type { EnvironmentRequest } from "../../project/resolve.ts";
import { ownMember } from "../../words/record.ts";
import { type HasDeployed, withDeployed } from "../port-deployed.ts";
import type { Journal, ReleaseHead } from "../release.ts";
import { findLastGood } from "./failure.ts";

/**
 * After a rollback of a deploy, the code of the folder before runs; its commit is unknown if no kept release names it.
 * A rollback in place leaves the files as they are, whichever release has changed them since.
 */
export async function gitAfterwards(
  ports: HasDeployed & HasRevisions,
  { before, deploy, environment, left, steps }: ReleaseHead,
  journals: readonly Journal[],
): Promise<ReleaseHead["git"]> {
  const { deployed } = ports;
  if (deploy === undefined) {
    const paths = before.flatMap((one) => one.paths ?? []);
    // An apply since a deploy runs in its folder.
    const own = journals.find(({ head }) => isIn(head.deploy, paths));
    if (own !== undefined) return own.head.git;
    const [service] = steps.flatMap(({ app }) => ownMember(left.apps, app)?.service || []);
    return await readPresentCommit(ports, { environment, service });
  }
  const former = journals.find(({ head }) => head.deploy?.root === deploy.root && head.deploy.id === deploy.former);
  if (former === undefined || former.head.git === null) return null;
  const { id, root } = { id: deploy.former, root: deploy.root };
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
