import { type HasReleases, listReleases } from "../port-releases.ts";
import type { Release } from "../../api/rollout.ts";
import { defineOperation } from "../../access/operation.ts";
import type { ForeignRelease, HasDeployed } from "../port-deployed.ts";
import { withoutLogs, toRelease } from "../release.ts";
import { findRelease } from "../apply/rollback-plan.ts";

export const releaseList = defineOperation({
  id: "release.list",
  access: "read",
  async run(
    { releases, deployed }: HasReleases & HasDeployed,
    _input,
    caller,
  ): Promise<{ readonly releases: readonly Release[]; readonly foreign?: ForeignRelease | undefined }> {
    const kept = (await listReleases(releases)).map((one) => withoutLogs(one, caller));
    const roots = new Set(kept.flatMap(({ deploy }) => deploy?.root ?? []));
    const current = new Map<string, string | null>();
    for (const root of roots) current.set(root, await deployed.current(root));
    const foreign = await deployed.foreign();
    return {
      releases: kept.map((one) => markCurrent(one, kept, current)),
      ...(foreign !== null && { foreign }),
    };
  },
});

/** Several releases may have started the same folder; the newest of them is what runs. */
function markCurrent(release: Release, all: readonly Release[], current: ReadonlyMap<string, string | null>): Release {
  const { deploy } = release;
  if (deploy === undefined || deploy.id === null || current.get(deploy.root) !== deploy.id) return release;
  const newest = all.find(
    (one) => one.outcome === "applied" && one.deploy?.root === deploy.root && one.deploy.id === deploy.id,
  );
  return newest === release ? { ...release, deploy: { ...deploy, isCurrent: true } } : release;
}

/** Returns a release with its steps. @throws {SvcmError} RELEASE_NOT_FOUND, NOTHING_TO_ROLL_BACK */
export const releaseShow = defineOperation({
  id: "release.show",
  access: "read",
  async run({ releases }: HasReleases, { release }, caller): Promise<Release> {
    const journal = findRelease(await releases.list(), release);
    const kept = await listReleases(releases);
    return withoutLogs(kept.find(({ id }) => id === journal.head.id) ?? toRelease(journal, null), caller);
  },
});
