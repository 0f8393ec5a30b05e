import { notAccepted, type Rule, show, unknownValue } from "../rule.ts";
import { entryOf, valuesOf } from "../vocabulary.ts";
import { suggest } from "../../report/suggest.ts";

/** Interface adapter: kind and framework. */
export const interfaceFramework: Rule = {
  code: "INTERFACE_FRAMEWORK_UNSUPPORTED",
  summary: "An interface adapter names an unknown type, or a framework that does not serve its type.",
  explanation:
    "http-rest and sse take the canonical values of SVC_HTTP_FRAMEWORK (no alias such as derby or sails), websocket takes socket-io, grpc takes grpc.",
  remedy: "Choose a framework that the message lists; `svcm matrix show` has them for every type.",
  check(candidate, vocabulary) {
    const { interfaceTypes } = vocabulary.matrix;
    const type = entryOf(interfaceTypes, candidate["type"]);
    if (!type)
      return candidate["type"] === undefined
        ? [missing(Object.keys(interfaceTypes))]
        : unknownValue(candidate, "type", Object.keys(interfaceTypes));
    const accepted = valuesOf(vocabulary, type.frameworks);
    const { framework } = candidate;
    if (typeof framework === "string" && accepted.includes(framework)) return [];
    const words =
      framework === undefined ? "is missing" : `${show(framework)} does not serve ${show(candidate["type"])}`;
    const suggestion = typeof framework === "string" ? suggest(framework, accepted) : undefined;
    return [{ ...notAccepted("framework", words, accepted), ...(suggestion !== undefined && { suggestion }) }];
  },
};

function missing(accepted: readonly string[]): ReturnType<Rule["check"]>[number] {
  return { field: "type", message: `type is missing; accepted: ${accepted.join(", ")}`, accepted };
}
