import type { DeployPlan, DeployResult } from "../../core/index.ts";
import { paint } from "./paint.ts";
import { renderRelease } from "./release.ts";

/** Notes of a deploy are lines of its progress. */
export function renderPrepared({ commit, subject, folder, from, commits }: DeployPlan): string {
  const before = from === null ? "" : ` (now ${from.slice(0, 7)})`;
  return [
    `Prepared ${commit.slice(0, 7)} "${subject}"${before} in ${folder}. Nothing that runs was touched.`,
    ...commitLines("+", commits?.added),
    ...commitLines("-", commits?.removed),
  ].join("\n");
}

const MAX_COMMITS = 10;

function commitLines(sign: string, commits: NonNullable<DeployPlan["commits"]>["added"] = []): string[] {
  const lines = commits
    .slice(0, MAX_COMMITS)
    .map(({ commit, subject }) => `  ${sign} ${commit.slice(0, 7)} ${subject}`);
  return commits.length > MAX_COMMITS ? [...lines, `  ${sign} and more`] : lines;
}

export function renderDeploy({ deploy, release, pruned }: DeployResult): string {
  const { commit, subject, id, current } = deploy;
  const what = release === null ? "was running already" : "is deployed";
  return [
    paint.green(`${commit.slice(0, 7)} "${subject}" ${what}, in release folder ${id}.`),
    ...(current ? [] : ["  current does not lead to it."]),
    ...(pruned.length === 0 ? [] : [`  Removed, because newer releases are kept: ${pruned.join(", ")}.`]),
    ...(release === null ? [] : [renderRelease(release), `${paint.bold("To go back:")} svcm rollback ${release.id}`]),
  ].join("\n");
}
