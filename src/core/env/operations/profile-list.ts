import type { HasFacts } from "../../project/port-repository.ts";
import { defineOperation } from "../../access/operation.ts";
import type { ProfileSummary } from "./profile-show.ts";

/** @see the specification, "Operational profiles" */
export const profileList = defineOperation({
  id: "profile.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasFacts): Promise<{ profiles: ProfileSummary[] }> {
    const { profiles } = await ports.facts.runtimeContract();
    return {
      profiles: Object.entries(profiles).map(([profile, { label, assignments }]) => ({ profile, label, assignments })),
    };
  },
});
