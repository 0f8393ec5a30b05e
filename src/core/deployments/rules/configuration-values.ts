import type { Finding } from "../../findings/rule.ts";
import type { Candidate } from "../candidate.ts";
import { missing, type Rule, unknownValue } from "../rule.ts";

/** Service configuration (a). */
export const configurationValues: Rule = {
  code: "CONFIG_VALUE_UNKNOWN",
  severity: "error",
  summary: "A service configuration names a value outside its vocabulary.",
  explanation:
    "serviceKind, runMode and cloudProvider are vocabularies of the capability matrix. Each has to be one of its values, in its spelling.",
  remedy: "Write one of the values that the message lists, for example with `svcm config set serviceKind=rest-api`.",
  check: ({ entry, vocabulary: { matrix } }) => [
    ...required(entry, "serviceKind", Object.keys(matrix.serviceKinds)),
    ...required(entry, "runMode", Object.keys(matrix.runModes)),
    ...required(entry, "cloudProvider", Object.keys(matrix.cloudProviders)),
  ],
};

function required(entry: Candidate, field: string, accepted: readonly string[]): Finding[] {
  return entry[field] === undefined ? [missing(field, accepted)] : unknownValue(entry, field, accepted);
}
