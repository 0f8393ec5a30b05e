import { type Rule, show } from "../rule.ts";
import { groupOf } from "../vocabulary.ts";

/** Deploy target (d). */
export const targetProfile: Rule = {
  code: "TARGET_PROFILE_MISPLACED",
  summary: "pm2Profile is set on a target that cannot have one, or missing on one that needs it.",
  explanation:
    "Only PM2-managed targets carry a pm2Profile, and each of them does. A provider manages its functions itself. An empty pm2Profile counts as absent.",
  remedy:
    "Set `--pm2-profile` on a PM2-managed target; remove the field from any other with `svcm targets edit <name> --clear pm2Profile`.",
  check({ deployTarget, pm2Profile }, vocabulary) {
    const group = groupOf(vocabulary, deployTarget);
    if (!group || group.pm2Managed === (pm2Profile !== undefined)) return [];
    const accepted = group.pm2Managed ? vocabulary.matrix.pm2Profiles : [];
    const message = group.pm2Managed
      ? `pm2Profile is missing: ${show(deployTarget)} is PM2-managed; accepted: ${accepted.join(", ")}`
      : `pm2Profile: ${show(deployTarget)} is not PM2-managed; accepted: none`;
    return [{ field: "pm2Profile", message, accepted }];
  },
};
