import { quoteValue } from "../../findings/quote-value.ts";
import { acceptedText, withAccepted } from "../../findings/rule.ts";
import { type Rule } from "../rule.ts";
import { targetGroup } from "../vocabulary.ts";

export const targetProfile: Rule = {
  code: "TARGET_PROFILE_MISPLACED",
  severity: "error",
  summary: "pm2Profile is set on a target that cannot have one, or missing on one that needs it.",
  explanation:
    "PM2-managed targets require a pm2Profile. Other targets refuse it, because the provider manages functions itself. An empty pm2Profile counts as absent.",
  remedy:
    "Set `--pm2-profile` on a PM2-managed target; remove the field from any other with `svcm targets edit <name> --clear pm2Profile`.",
  check({ entry: { deployTarget, pm2Profile }, vocabulary }) {
    const group = targetGroup(vocabulary, deployTarget);
    if (!group || group.pm2Managed === (pm2Profile !== undefined)) return [];
    const path = ["pm2Profile"];
    if (group.pm2Managed) {
      const what = `pm2Profile is missing: ${quoteValue(deployTarget)} is PM2-managed`;
      return [{ path, ...withAccepted(what, vocabulary.matrix.pm2Profiles) }];
    }
    const message = acceptedText(`pm2Profile: ${quoteValue(deployTarget)} is not PM2-managed`, "none");
    return [{ path, message, accepted: [] }];
  },
};
