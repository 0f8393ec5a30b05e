import { SvcmError } from "../api/errors.ts";
import type { Issue } from "../api/issue.ts";
import type { DeployedWorld } from "../rollout/port-deployed.ts";
import type { DeployRoot, Deploys } from "./port-deploys.ts";
import { deployCommand, toPlace, type DeployRecord } from "./record.ts";

/**
 * @param environment canonical or an alias; the root has one environment, and another one has no release here
 * @throws {SvcmError} APPLY_REFUSED with RELEASE_GONE: the code of the checkout is not what this machine should run
 */
export async function findCurrentWorld(
  deploys: Deploys,
  folder: string,
  environment: string | undefined,
): Promise<DeployedWorld | undefined> {
  const root = deploys.open(folder);
  const current = await root.current();
  const record = (await root.records()).find(({ id }) => id === current);
  if (record === undefined) return undefined;
  if (environment !== undefined && !record.spellings.includes(environment.trim().toLowerCase())) return undefined;
  const release = `${root.layout.releases}/${record.id}`;
  if (!(await root.exists(release))) throw releaseGone(release, root.layout.current, record);
  const { facts, files, ecosystems, workspace, revisions, runningCode } = deploys.world(toPlace(root.layout, record));
  return { facts, files, ecosystems, workspace, revisions, runningCode };
}

function releaseGone(path: string, current: string, record: DeployRecord): SvcmError {
  return new SvcmError("APPLY_REFUSED", {
    code: "RELEASE_GONE",
    path,
    details: `${current} leads to ${path}, which no longer exists, so its code cannot be compared or started. Nothing was touched.`,
    hint: `Put the folder back, or deploy its code again: ${deployCommand(record)}. To run the apps in the checkout instead, remove ${current}.`,
  });
}

/** While a deploy runs, its record is only not finished yet. */
export async function listInterrupted(root: DeployRoot): Promise<Issue[]> {
  const since = await root.lockedSince();
  const open = (await root.records()).filter(({ state }) => state === "preparing" || state === "applying");
  return open.map((record) => ({
    code: since === null ? "DEPLOY_INTERRUPTED" : "DEPLOY_RUNNING",
    severity: "warning",
    path: [],
    message:
      since === null
        ? interruption(record)
        : `The deploy of ${record.commit.slice(0, 7)} has not ended, and a deploy or a rollback is running.`,
  }));
}

function interruption(record: DeployRecord): string {
  const { commit, state, release } = record;
  const what = `The deploy of ${commit.slice(0, 7)} was interrupted`;
  const retry = deployCommand(record);
  if (state === "preparing")
    return `${what} before its release was prepared; nothing that runs was touched. To deploy it: ${retry}`;
  // Its id is recorded before its first step.
  if (release === null) return `${what} before its first step; nothing that runs was touched. To deploy it: ${retry}`;
  return `${what} after its apply began: some apps may run it, others the former release. To finish it: ${retry}. To go back: svcm rollback ${release}`;
}
