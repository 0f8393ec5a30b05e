import type { HasReleases } from "../port-releases.ts";
import type { Release } from "../../api/rollout.ts";
import { defineOperation } from "../../access/operation.ts";
import { findRelease } from "../apply/rollback-plan.ts";
import { toRelease, withoutLogs } from "../release.ts";
import { listReleases } from "../read-releases.ts";

/** Returns a release with its steps. @throws {SvcmError} RELEASE_NOT_FOUND, NOTHING_TO_ROLL_BACK */
export const releaseShow = defineOperation({
  id: "release.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ releases }: HasReleases, { release }, caller): Promise<Release> {
    const journal = findRelease(await releases.list(), release);
    const kept = await listReleases(releases);
    return withoutLogs(kept.find(({ id }) => id === journal.head.id) ?? toRelease(journal, null), caller);
  },
});
