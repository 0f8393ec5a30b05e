import { missing, notAccepted, type Rule, show, unknownValue } from "../rule.ts";
import { entryOf, frameworksOf, valuesOf } from "../vocabulary.ts";
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
    const { framework, type: name } = candidate;
    const type = entryOf(interfaceTypes, name);
    const types = Object.keys(interfaceTypes);
    const accepted = type ? valuesOf(vocabulary, type.frameworks) : frameworksOf(vocabulary);
    if (!type) {
      return [
        ...(name === undefined ? [missing("type", types)] : unknownValue(candidate, "type", types)),
        ...(framework === undefined ? [missing("framework", accepted)] : []),
      ];
    }
    if (framework === undefined) return [missing("framework", accepted)];
    if (typeof framework === "string" && accepted.includes(framework)) return [];
    const suggestion = typeof framework === "string" ? suggest(framework, accepted) : undefined;
    const finding = notAccepted("framework", `${show(framework)} does not serve ${show(name)}`, accepted);
    return [{ ...finding, ...(suggestion !== undefined && { suggestion }) }];
  },
};
