import { quoteValue } from "../../findings/quote-value.ts";
import { notAccepted, type Rule } from "../rule.ts";
import { lookup } from "../vocabulary.ts";

export const configurationProvider: Rule = {
  code: "CONFIG_PROVIDER_UNSUPPORTED",
  severity: "error",
  summary: "The cloud provider does not support the run mode.",
  explanation:
    "The capability matrix lists the supported combinations of runMode and cloudProvider: `svcm matrix show`.",
  remedy:
    "Choose a pair that `svcm matrix show` lists, and set both at once: `svcm config set runMode=... cloudProvider=...`.",
  check({ entry: { runMode, cloudProvider }, vocabulary: { matrix } }) {
    const mode = lookup(matrix.runModes, runMode);
    if (!mode || lookup(matrix.cloudProviders, cloudProvider) === undefined) return [];
    if (mode.cloudProviders.includes(String(cloudProvider))) return [];
    return [
      notAccepted(
        "cloudProvider",
        `${quoteValue(cloudProvider)} does not offer the run mode ${quoteValue(runMode)}`,
        mode.cloudProviders,
      ),
    ];
  },
};
