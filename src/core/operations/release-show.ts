import type { Release } from "../api/rollout.ts";
import { defineOperation } from "../operation.ts";
import { releaseIn } from "../rollout/apply/rollback-plan.ts";
import { releaseOf } from "../rollout/release.ts";
import { keptReleases } from "../rollout/releases-now.ts";

/** Returns a release with its steps. @throws {SvcmError} RELEASE_NOT_FOUND, NOTHING_TO_ROLL_BACK */
export const releaseShow = defineOperation({
  id: "release.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ releases }, { release }): Promise<Release> {
    const journal = releaseIn(await releases.list(), release);
    const kept = await keptReleases(releases);
    return kept.find(({ id }) => id === journal.head.id) ?? releaseOf(journal, null);
  },
});
