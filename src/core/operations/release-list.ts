import type { Release } from "../api/rollout.ts";
import { defineOperation } from "../operation.ts";
import { withoutLogs } from "../rollout/release.ts";
import { listReleases } from "../rollout/read-releases.ts";

export const releaseList = defineOperation({
  id: "release.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ releases }, _input, caller): Promise<{ readonly releases: readonly Release[] }> {
    return { releases: (await listReleases(releases)).map((one) => withoutLogs(one, caller)) };
  },
});
