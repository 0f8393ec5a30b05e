import { SvcmError } from "../api/errors.ts";
import type { Release } from "../api/rollout.ts";
import { listReleases } from "../rollout/read-releases.ts";
import type { DeployContext } from "./deploy-context.ts";
import type { FoundCommit } from "./find-commit.ts";
import type { DeployRecord } from "./record.ts";

/** @throws {SvcmError} DEPLOY_REFUSED with DEPLOY_TRIED */
export async function requireUntried({ root, ports }: DeployContext, { commit }: FoundCommit): Promise<void> {
  const record = (await root.records()).find((one) => one.commit === commit);
  if (record === undefined || record.id === (await root.current())) return;
  const why = whyTried(record, await listReleases(ports.releases));
  if (why === undefined) return;
  throw new SvcmError("DEPLOY_REFUSED", {
    code: "DEPLOY_TRIED",
    details: `${commit.slice(0, 7)} "${record.subject}" ${why}, so it is left alone. Nothing was changed.`,
    hint: `Push another commit. To try this one again: svcm deploy ${commit.slice(0, 10)}`,
  });
}

/** Without a release, no process was touched, and the next attempt may find another world. */
export function whyTried(
  { state, release, reason }: Pick<DeployRecord, "state" | "release" | "reason">,
  releases: readonly Pick<Release, "undoes" | "outcome">[],
): string | undefined {
  if (release === null) return undefined;
  if (state === "failed" || state === "reverted" || state === "half") return `failed here (${reason ?? state})`;
  const isUndone = releases.some(({ undoes, outcome }) => undoes === release && outcome === "applied");
  return isUndone ? "was rolled back here" : undefined;
}
