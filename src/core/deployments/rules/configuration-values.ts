import { missing, type Rule, unknownValue } from "../rule.ts";

/** Service configuration (a). */
export const configurationValues: Rule = {
  code: "CONFIG_VALUE_UNKNOWN",
  summary: "A service configuration names a value outside its vocabulary.",
  explanation:
    "serviceKind, runMode and cloudProvider are vocabularies of the capability matrix. Each has to be one of its values, in its spelling.",
  remedy: "Write one of the values that the message lists, for example with `svcm config set serviceKind=rest-api`.",
  check: (candidate, { matrix }) => [
    ...required(candidate, "serviceKind", Object.keys(matrix.serviceKinds)),
    ...required(candidate, "runMode", Object.keys(matrix.runModes)),
    ...required(candidate, "cloudProvider", Object.keys(matrix.cloudProviders)),
  ],
};

function required(
  candidate: Parameters<Rule["check"]>[0],
  field: string,
  accepted: readonly string[],
): ReturnType<Rule["check"]> {
  if (candidate[field] !== undefined) return unknownValue(candidate, field, accepted);
  return [missing(field, accepted)];
}
