import { rolloutFindings } from "../../project/rollout-findings.ts";
import type { Rule } from "../rule.ts";

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
