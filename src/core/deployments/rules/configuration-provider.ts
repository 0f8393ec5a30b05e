import { notAccepted, type Rule, show } from "../rule.ts";
import { entryOf } from "../vocabulary.ts";

/** Service configuration (c). */
export const configurationProvider: Rule = {
  code: "CONFIG_PROVIDER_UNSUPPORTED",
  severity: "error",
  summary: "The run mode does not exist at the cloud provider.",
  explanation:
    "The combination of runMode and cloudProvider has to be one of the capability matrix: `svcm matrix show` lists them.",
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
