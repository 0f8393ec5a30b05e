import { findProfile } from "../env/profiles.ts";
import { defineOperation } from "../operation.ts";

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
  async run(ports, { profile }): Promise<ProfileSummary> {
    const { label, assignments } = findProfile(await ports.facts.runtimeContract(), profile);
    return { profile, label, assignments };
  },
});
