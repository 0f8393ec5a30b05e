import { defineOperation } from "../operation.ts";
import type { ProfileSummary } from "./profile-show.ts";

/** @see the specification, "Operational profiles" */
export const profileList = defineOperation({
  id: "profile.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports): Promise<{ profiles: ProfileSummary[] }> {
    const { profiles } = await ports.facts.runtimeContract();
    return {
      profiles: Object.entries(profiles).map(([profile, { label, assignments }]) => ({ profile, label, assignments })),
    };
  },
});
