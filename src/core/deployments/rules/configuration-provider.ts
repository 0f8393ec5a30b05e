import { notAccepted, type Rule, show } from "../rule.ts";
import { entryOf } from "../vocabulary.ts";

export const configurationProvider: Rule = {
  code: "CONFIG_PROVIDER_UNSUPPORTED",
  severity: "error",
  summary: "The cloud provider does not support the run mode.",
  explanation:
    "The capability matrix lists the supported combinations of runMode and cloudProvider: `svcm matrix show`.",
  remedy:
    "Choose a pair that `svcm matrix show` lists, and set both at once: `svcm config set runMode=... cloudProvider=...`.",
  check({ entry: { runMode, cloudProvider }, vocabulary: { matrix } }) {
    const mode = entryOf(matrix.runModes, runMode);
    if (!mode || entryOf(matrix.cloudProviders, cloudProvider) === undefined) return [];
    if (mode.cloudProviders.includes(String(cloudProvider))) return [];
    return [
      notAccepted(
        "cloudProvider",
        `${show(cloudProvider)} does not offer the run mode ${show(runMode)}`,
        mode.cloudProviders,
      ),
    ];
  },
};
