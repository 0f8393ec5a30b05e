import { quoteValue } from "../../findings/quote-value.ts";
import { envSpellings } from "../../project/resolve.ts";
import { notAccepted, type Rule } from "../rule.ts";
import { DOCUMENT_VERSION } from "../shape.ts";
import { rolloutFindings } from "../../project/rollout-findings.ts";

export const documentEnvironment: Rule = {
  code: "SUITE_ENVIRONMENT_UNKNOWN",
  severity: "error",
  check({ entry: { runtimeEnvironment }, vocabulary: { contract } }) {
    const spellings = [...envSpellings(contract).keys()];
    if (typeof runtimeEnvironment !== "string" || spellings.includes(runtimeEnvironment.trim().toLowerCase()))
      return [];
    return [notAccepted("runtimeEnvironment", `${quoteValue(runtimeEnvironment)} is not an environment`, spellings)];
  },
};

export const documentVersion: Rule = {
  code: "SUITE_VERSION_UNSUPPORTED",
  severity: "error",
  check({ entry: { version } }) {
    if (typeof version !== "string" || version === DOCUMENT_VERSION) return [];
    return [notAccepted("version", `${quoteValue(version)} is not supported`, [DOCUMENT_VERSION])];
  },
};

export const rolloutSetting: Rule = {
  code: "ROLLOUT_SETTING",
  severity: "error",
  check: ({ entry }) =>
    rolloutFindings(entry).map(({ path, message, ...more }) => ({
      ...more,
      path,
      message: `${["rollout", ...path].join(".")}: ${message}`,
    })),
};
