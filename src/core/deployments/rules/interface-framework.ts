import { missing, notAccepted, type Rule, show, undeclared, unknownValue } from "../rule.ts";
import type { Candidate } from "../candidate.ts";
import { entryOf, frameworksOf, valuesOf } from "../vocabulary.ts";
import { suggest } from "../../words/suggest.ts";

/** Interface adapter: kind and framework. */
export const interfaceFramework: Rule = {
  code: "INTERFACE_FRAMEWORK_UNSUPPORTED",
  summary: "An interface adapter names an unknown type, or a framework that does not serve its type.",
  explanation:
    "http-rest and sse take the canonical values of SVC_HTTP_FRAMEWORK (no alias such as derby or sails), websocket takes socket-io, grpc takes grpc.",
  remedy: "Choose a framework that the message lists; `svcm matrix show` has them for every type.",
  check(candidate, vocabulary) {
    const { interfaceTypes } = vocabulary.matrix;
    const { type: name } = candidate;
    const type = entryOf(interfaceTypes, name);
    if (type) return frameworkFindings(candidate, valuesOf(vocabulary, type.frameworks));
    const types = Object.keys(interfaceTypes);
    return [
      ...(name === undefined ? [missing("type", types)] : unknownValue(candidate, "type", types)),
      ...missingFramework(candidate, frameworksOf(vocabulary)),
    ];
  },
};

function frameworkFindings(candidate: Candidate, accepted: readonly string[]): ReturnType<Rule["check"]> {
  const { framework, type } = candidate;
  if (framework === undefined) return missingFramework(candidate, accepted);
  if (accepted.length === 0) return [undeclared("framework")];
  if (typeof framework === "string" && accepted.includes(framework)) return [];
  const suggestion = typeof framework === "string" ? suggest(framework, accepted) : undefined;
  const finding = notAccepted("framework", `${show(framework)} does not serve ${show(type)}`, accepted);
  return [{ ...finding, ...(suggestion !== undefined && { suggestion }) }];
}

/** Where the repository declares no framework, none is required. */
function missingFramework({ framework }: Candidate, accepted: readonly string[]): ReturnType<Rule["check"]> {
  return framework === undefined && accepted.length > 0 ? [missing("framework", accepted)] : [];
}
