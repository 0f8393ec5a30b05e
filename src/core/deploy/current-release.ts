import { SvcmError } from "../api/errors.ts";
import type { Issue } from "../api/issue.ts";
import { CHANGED_LATER } from "../rollout/apply/failure.ts";
import type { DeployedWorld, TouchedProcess } from "../rollout/port-deployed.ts";
import type { DeployRoot, Deploys } from "./port-deploys.ts";
import { nameList } from "../words/text.ts";
import { COMMIT_DIGITS, deployOfPath } from "./layout.ts";
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
  const world = { facts, files, ecosystems, workspace, revisions, runningCode };
  return { ...world, changed: (names) => changedIssue(release, record.commit, names) };
}

function releaseGone(path: string, current: string, record: DeployRecord): SvcmError {
  return new SvcmError("APPLY_REFUSED", {
    code: "RELEASE_GONE",
    path,
    details: `${current} leads to ${path}, which no longer exists, so its code cannot be compared or started. Nothing was touched.`,
    hint: `Put the folder back, or deploy its code again: ${deployCommand(record)}. To run the apps in the checkout instead, remove ${current}, and run svcm apply --switch-checkout.`,
  });
}

function changedIssue(release: string, commit: string, changed: readonly string[]): Issue[] {
  if (changed.length === 0) return [];
  const message = `${release} is not as ${commit.slice(0, 7)} was prepared: ${nameList(changed)}`;
  return [
    { code: "RELEASE_CHANGED", severity: "warning", path: [], message, accepted: ["svcm explain RELEASE_CHANGED"] },
  ];
}

/**
 * Deploys that were cut off, a `current` that none can switch, and apps whose steps lead back.
 * @param lastApplied the newest release of the list that was applied
 */
export async function listDeployIssues(
  root: DeployRoot,
  lastApplied: string | undefined,
  touched: readonly TouchedProcess[],
): Promise<Issue[]> {
  const unusable = await listUnusable(root);
  return [...unusable, ...(await listInterrupted(root, lastApplied)), ...(await listAhead(root, touched))];
}

/** Of a service that was deployed alone, or that a rollback left, or a user has switched `current` by hand. */
async function listAhead(root: DeployRoot, touched: readonly TouchedProcess[]): Promise<Issue[]> {
  const current = await root.current();
  if (current === null) return [];
  const newer = (await root.records()).filter(({ id, state }) => state === "done" && id > current);
  return newer.flatMap((record): Issue[] => {
    const own = touched.filter(({ cwd }) => deployOfPath(root.layout, `${cwd}/`) === record.id);
    const names = [...new Set(own.map(({ name }) => name))];
    if (names.length === 0) return [];
    const [verb, them] = names.length === 1 ? ["runs", "it"] : ["run", "them"];
    const commit = record.commit.slice(0, COMMIT_DIGITS);
    const onwards = deployCommand(record);
    const message = `${nameList(names)} ${verb} the newer ${commit}, and an apply returns ${them} to ${current}, where current leads. To run ${commit} as a whole instead: ${onwards}`;
    return [{ code: "DEPLOY_AHEAD", severity: "warning", path: [], message, accepted: [onwards] }];
  });
}

/** A plan compares with the checkout then. */
async function listUnusable(root: DeployRoot): Promise<Issue[]> {
  try {
    await root.planSwitch(null);
    return [];
  } catch (error) {
    if (!(error instanceof SvcmError) || error.body.code !== "DEPLOY_ROOT_UNUSABLE") throw error;
    const { code, details = "" } = error.body;
    const message = `${details} Until then, svcm deploy and svcm rollback of a deploy are refused, and a plan compares with the checkout.`;
    return [{ code, severity: "warning", path: [], message }];
  }
}

/** While a deploy runs, its record is only not finished yet. */
async function listInterrupted(root: DeployRoot, lastApplied = ""): Promise<Issue[]> {
  const since = await root.lockedSince();
  const records = await root.records();
  const served = records.findIndex(({ state }) => state === "done");
  const current = await root.current();
  // Another deploy, an apply or a rollback has decided since what runs.
  const isPast = ({ release }: DeployRecord): boolean => (release ?? lastApplied) < lastApplied;
  const isHalf = ({ state }: DeployRecord, at: number): boolean => state === "half" && (served < 0 || at < served);
  const isOpen = (one: DeployRecord, at: number): boolean => one.state === "applying" || isHalf(one, at);
  const open = records.filter((one, at) => one.state === "preparing" || (isOpen(one, at) && !isPast(one)));
  return open.map((record) => ({
    severity: "warning",
    path: [],
    ...(since === null
      ? { code: "DEPLOY_INTERRUPTED", ...interruption(record, record.release === lastApplied, current) }
      : {
          code: "DEPLOY_RUNNING",
          message: `The deploy of ${record.commit.slice(0, 7)} has not ended, and a deploy or a rollback is running.`,
        }),
  }));
}

/**
 * With the commands to choose from.
 * @param isApplied its steps are done
 */
function interruption(
  record: DeployRecord,
  isApplied: boolean,
  current: string | null,
): Pick<Issue, "message" | "accepted"> {
  const { commit, state, release, hasBegun, cause } = record;
  const what = `The deploy of ${commit.slice(0, 7)} was interrupted`;
  const retry = deployCommand(record);
  // The id of a release is recorded before its first step.
  if (release === null || !hasBegun) {
    const before = state === "preparing" ? "its release was prepared" : "its first step";
    const message = `${what} before ${before}; nothing that runs was touched. To deploy it: ${retry}`;
    return { message, accepted: [retry] };
  }
  const back = `svcm rollback ${release}`;
  const choices = `To finish it: ${retry}. To go back: ${back}`;
  const link = `current leads to ${current ?? "nothing"}, with which a plan and an apply compare`;
  if (isApplied && state === "applying") {
    const after = current === record.id ? "" : `, and ${link}`;
    return { message: `${what} after its last step: its apps run it${after}. ${choices}`, accepted: [retry, back] };
  }
  if (state === "half" && cause === CHANGED_LATER) {
    const ended = "one of them ended or changed after its step";
    const message = `The deploy of ${commit.slice(0, 7)} ended half done: its apps run it, but ${ended}, and ${link}. ${choices}`;
    return { message, accepted: [retry, back] };
  }
  const how =
    state === "half" ? `The deploy of ${commit.slice(0, 7)} ended half done` : `${what} after its apply began`;
  const message = `${how}: some apps may run it, others the former release. ${choices}`;
  return { message, accepted: [retry, back] };
}
