import type { Release } from "../api/rollout.ts";
import { listReleases } from "../rollout/port-releases.ts";
import { note, type DeployContext } from "./deploy-context.ts";
import type { DeployOutcome, DeployRecord } from "./record.ts";

/**
 * Ends what a killed deploy left, under the lock of the root. The plan of the next deploy decides about processes.
 * @param begin called before the first effect
 */
export async function recoverDeploys(context: DeployContext, begin: () => Promise<void>): Promise<void> {
  const { root, ports } = context;
  await root.removeLeftovers();
  for (const record of await root.records()) {
    if (record.state === "preparing" || record.state === "applying") await begin();
    if (record.state === "preparing") await removeUnprepared(context, record);
    if (record.state !== "applying") continue;
    const release = (await listReleases(ports.releases)).find(({ id }) => id === record.release);
    const outcome = outcomeAfterKill(release?.outcome);
    if (outcome === "done" && (await root.current()) !== record.id && !record.hasSwitched)
      await root.switchTo(record.id);
    await end(context, record, outcome);
    note(context, interruptedText(record, outcome));
  }
}

async function removeUnprepared(context: DeployContext, record: DeployRecord): Promise<void> {
  const { root, deploys } = context;
  await deploys.endCommands(record.commands, `${root.layout.releases}/${record.id}`);
  await root.remove(record.id);
  await end(context, record, "failed");
  note(
    context,
    `The deploy of ${record.commit.slice(0, 7)} was interrupted before its release was prepared; its folder is removed, and nothing that runs was touched.`,
  );
}

async function end({ root, ports }: DeployContext, { id }: DeployRecord, outcome: DeployOutcome): Promise<void> {
  const at = new Date(ports.clock.now()).toISOString();
  await root.append(id, { event: "end", outcome, at, reason: "it was interrupted" });
}

/** Without a release, no process was touched. */
export function outcomeAfterKill(outcome: Release["outcome"] | undefined): DeployOutcome {
  if (outcome === "applied" || outcome === "unchanged") return "done";
  return outcome === undefined || outcome === "refused" || outcome === "reverted" ? "reverted" : "half";
}

export function interruptedText(
  { commit, release }: Pick<DeployRecord, "commit" | "release">,
  outcome: DeployOutcome,
): string {
  const what = `The deploy of ${commit.slice(0, 7)} was interrupted`;
  if (outcome === "done") return `${what} after its release served; it is finished now.`;
  if (outcome === "reverted") return `${what}, and no process runs its release.`;
  return `${what} while it changed processes: some may run it, others the former release. To go back instead: svcm rollback ${release ?? ""}`.trimEnd();
}
