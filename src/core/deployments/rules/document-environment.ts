import { quoteValue } from "../../findings/quote-value.ts";
import { envSpellings } from "../../project/resolve.ts";
import { notAccepted, type Rule } from "../rule.ts";

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
