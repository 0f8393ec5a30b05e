import type { DeployPlan } from "../api/deploy.ts";
import { SvcmError } from "../api/errors.ts";
import type { DeployContext } from "./deploy-context.ts";
import type { DeployGit } from "./port-deploy-git.ts";

/** A release file has no commits, and Git may have lost the former one. */
export async function compareCommits(git: DeployGit, from: string, to: string): Promise<DeployPlan["commits"]> {
  try {
    return { added: await git.listBetween(from, to), removed: await git.listBetween(to, from) };
  } catch (error) {
    if (error instanceof SvcmError) return null;
    throw error;
  }
}

export async function formerCommit({ root }: DeployContext, former: string | null): Promise<string | null> {
  if (former === null) return (await root.foreign())?.commit ?? null;
  return (await root.records()).find(({ id }) => id === former)?.commit ?? null;
}
