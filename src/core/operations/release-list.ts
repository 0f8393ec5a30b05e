import type { Release } from "../api/rollout.ts";
import { defineOperation } from "../operation.ts";
import { journalsOf, releaseOf } from "../rollout/release.ts";

export const releaseList = defineOperation({
  id: "release.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ releases }): Promise<{ readonly releases: readonly Release[] }> {
    return { releases: journalsOf(await releases.list()).map(releaseOf) };
  },
});
