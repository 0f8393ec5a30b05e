import { quoteValue } from "../../findings/quote-value.ts";
import { envSpellings } from "../../project/resolve.ts";
import { notAccepted, type Rule } from "../rule.ts";
import { DOCUMENT_VERSION } from "../shape.ts";
import { rolloutFindings } from "../../project/rollout-findings.ts";

export const documentEnvironment: Rule = {
  code: "SUITE_ENVIRONMENT_UNKNOWN",
  severity: "error",
  summary: "runtimeEnvironment does not name an environment.",
  explanation: "runtimeEnvironment only selects an environment of the runtime contract. It holds no values.",
  remedy: "Write one of the environments that the message lists, or delete the line.",
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
  summary: "The document has a version that svcm does not read.",
  explanation: `svcm reads ${DOCUMENT_VERSION}, and assumes it if the document has no version.`,
  remedy: "Write the version that the message names, and run `svcm migrate --dry-run`.",
  check({ entry: { version } }) {
    if (typeof version !== "string" || version === DOCUMENT_VERSION) return [];
    return [notAccepted("version", `${quoteValue(version)} is not supported`, [DOCUMENT_VERSION])];
  },
};

export const rolloutSetting: Rule = {
  code: "ROLLOUT_SETTING",
  severity: "error",
  summary: "A setting of `rollout` is unknown, or its value is not accepted.",
  explanation:
    "`rollout` sets how `svcm apply` judges a process: the time that it has to stay healthy, its deadline, and its health probe by the suffix of the app's name.",
  remedy: "Correct the setting, or remove it: each has a default.",
  check: ({ entry }) =>
    rolloutFindings(entry).map(({ path, message, ...more }) => ({
      ...more,
      path,
      message: `${["rollout", ...path].join(".")}: ${message}`,
    })),
};
