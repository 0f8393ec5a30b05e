import { type ApplyPorts, type HasReleases, listReleases } from "../ports.ts";
import type { Issue } from "../../api/issue.ts";
import type { Plan, Release } from "../../api/rollout.ts";
import { defineOperation } from "../../access/operation.ts";
import { withMachineEnvironment } from "../machine-environment.ts";
import { type HasBootOutlook, inWorld, withDeployed, type ForeignRelease, type HasDeployed } from "../port-deployed.ts";
import { computePlan } from "../planning.ts";
import { applyPlan, type Applied } from "../apply/apply.ts";
import { OTHER_APPS_CHANGED } from "../apply/failure.ts";
import { withoutLogs, toRelease } from "../release.ts";
import { findRelease } from "../apply/rollback-plan.ts";

export const rolloutPlan = defineOperation({
  id: "rollout.plan",
  access: "read",
  async run(ports: ApplyPorts & HasBootOutlook, input, caller): Promise<Plan> {
    const request = await withMachineEnvironment(ports, input, caller);
    // A comparison of revisions is about the checkout.
    if (request.from !== undefined) return (await computePlan(ports, request)).plan;
    const world = await ports.deployed.world(request);
    const { plan, content, running } = await computePlan(inWorld(ports, world), request);
    // An apply with steps saves the list.
    const reboot = plan.changed || !plan.exists ? [] : await ports.bootOutlook.apps();
    const releases = await listReleases(ports.releases);
    const lastApplied = releases.find(({ outcome }) => outcome === "applied")?.id;
    const stepApps = new Set(plan.steps.map(({ app }) => app));
    const touched = running.filter(({ name }) => stepApps.has(name));
    const ofDeploys = await ports.deployed.issues(request, lastApplied, touched);
    const changed = world?.changed(plan.git?.dirty ?? []) ?? [];
    const issues = [...ofDeploys, ...changed, ...findCutOff(releases, content.name), ...plan.issues, ...reboot];
    return { ...plan, issues };
  },
});

/** The steps of such a plan may lead to what the rollback was to undo. */
function findCutOff([newest]: readonly Release[], environment: string): Issue[] {
  if (newest?.undoes === undefined || newest.outcome !== "half" || newest.environment !== environment) return [];
  const { id, undoes } = newest;
  const accepted = [`svcm rollback ${undoes}`, `svcm rollback ${id}`];
  const message = `The rollback of ${undoes} was cut off, so the steps may start again what it undoes. To finish it: ${accepted[0]}. To undo it: ${accepted[1]}`;
  return [{ code: "ROLLBACK_INTERRUPTED", severity: "warning", path: [], message, accepted }];
}

/** Runs the steps of the plan in order. @throws {SvcmError} as `applied` */
export const rolloutApply = defineOperation({
  id: "rollout.apply",
  access: "write",
  async run(ports: ApplyPorts, input, caller): Promise<Applied> {
    const request = await withMachineEnvironment(ports, input, caller);
    return await applyPlan(await withDeployed(ports, request), request, caller);
  },
});

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
  const newest = all.find((one) => isDone(one) && one.deploy?.root === deploy.root && one.deploy.id === deploy.id);
  return newest === release ? { ...release, deploy: { ...deploy, isCurrent: true } } : release;
}

function isDone({ outcome, code }: Release): boolean {
  return outcome === "applied" || code === OTHER_APPS_CHANGED;
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
