import type { HasFacts } from "../../project/port-repository.ts";
import { findProfile } from "../profiles.ts";
import { defineOperation } from "../../access/operation.ts";

export interface ProfileSummary {
  readonly profile: string;
  readonly label: string;
  /** The user replaces values in angle brackets. */
  readonly assignments: Readonly<Record<string, string>>;
}

export const profileShow = defineOperation({
  id: "profile.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasFacts, { profile }): Promise<ProfileSummary> {
    const { label, assignments } = findProfile(await ports.facts.runtimeContract(), profile);
    return { profile, label, assignments };
  },
});
