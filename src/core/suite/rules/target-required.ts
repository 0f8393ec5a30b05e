import type { Rule } from "../rule.ts";
import { entryOf } from "../vocabulary.ts";

export const TARGET_FIELDS = [
  "name",
  "runtime",
  "serviceType",
  "deployTarget",
  "runtimeProtocol",
  "databaseDriver",
  "keyValueDriver",
];

/** Deploy target (e): what has to be there. */
export const targetRequired: Rule = {
  code: "TARGET_FIELD_MISSING",
  summary: "A deploy target lacks a field.",
  explanation:
    "name, runtime, serviceType, deployTarget, runtimeProtocol and both drivers are required. region is required for every target that is not self-hosted.",
  check(candidate, { matrix }) {
    const target = entryOf(matrix.deployTargets, candidate["deployTarget"]);
    const { regionRequired } = target ?? matrix.unknownDeployTarget;
    const missing = TARGET_FIELDS.filter((field) => isMissing(candidate[field]));
    if (regionRequired && isMissing(candidate["region"])) missing.push("region");
    return missing.map((field) => ({ field, message: `${field} is missing` }));
  },
};

/** What is no text at all is told by the shape. */
export function isMissing(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && value.trim() === "");
}
