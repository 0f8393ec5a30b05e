import { quoteValue } from "../../findings/quote-value.ts";
import type { Finding } from "../../findings/rule.ts";
import type { Candidate } from "../candidate.ts";
import { missing, notAccepted, type Rule, undeclaredValues, unknownValue } from "../rule.ts";
import { lookup, frameworksOf, acceptedBy } from "../vocabulary.ts";

export const interfaceFramework: Rule = {
  code: "INTERFACE_FRAMEWORK_UNSUPPORTED",
  severity: "error",
  summary: "An interface adapter names an unknown type, or a framework that does not serve its type.",
  explanation:
    "http-rest and sse take the canonical values of SVC_HTTP_FRAMEWORK (no alias such as derby or sails), websocket takes socket-io, grpc takes grpc.",
  remedy: "Choose a framework that the message lists; `svcm matrix show` has them for every type.",
  check({ entry, vocabulary }) {
    const { interfaceTypes } = vocabulary.matrix;
    const { type: name } = entry;
    const type = lookup(interfaceTypes, name);
    if (type) return frameworkFindings(entry, acceptedBy(vocabulary, type.frameworks));
    const types = Object.keys(interfaceTypes);
    return [
      ...(name === undefined ? [missing("type", types)] : unknownValue(entry, "type", types)),
      ...missingFramework(entry, frameworksOf(vocabulary)),
    ];
  },
};

function frameworkFindings({ framework, type }: Candidate, accepted: readonly string[]): Finding[] {
  if (framework === undefined) return missingFramework({ framework }, accepted);
  if (accepted.length === 0) return [undeclaredValues("framework")];
  if (typeof framework === "string" && accepted.includes(framework)) return [];
  return [notAccepted("framework", `${quoteValue(framework)} does not serve ${quoteValue(type)}`, accepted, framework)];
}

function missingFramework({ framework }: Candidate, accepted: readonly string[]): Finding[] {
  return framework === undefined && accepted.length > 0 ? [missing("framework", accepted)] : [];
}
