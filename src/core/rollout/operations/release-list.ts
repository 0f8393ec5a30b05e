import type { HasReleases } from "../port-releases.ts";
import type { Release } from "../../api/rollout.ts";
import { defineOperation } from "../../access/operation.ts";
import { withoutLogs } from "../release.ts";
import { listReleases } from "../read-releases.ts";

export const releaseList = defineOperation({
  id: "release.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ releases }: HasReleases, _input, caller): Promise<{ readonly releases: readonly Release[] }> {
    return { releases: (await listReleases(releases)).map((one) => withoutLogs(one, caller)) };
  },
});
