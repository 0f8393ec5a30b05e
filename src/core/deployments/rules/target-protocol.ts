import { quoteValue } from "../../findings/quote-value.ts";
import { notAccepted, type Rule } from "../rule.ts";
import { lookup } from "../vocabulary.ts";

export const targetProtocol: Rule = {
  code: "TARGET_PROTOCOL_NOT_EXPOSED",
  severity: "error",
  summary: "The service type does not expose the runtime protocol.",
  explanation: "restapi and functions serve HTTP, websocket+restapi adds WebSocket, grpc+restapi adds gRPC.",
  remedy: "Choose a protocol that the message lists, or another service type: `svcm matrix show` has both.",
  check({ entry: { serviceType, runtimeProtocol }, vocabulary: { matrix } }) {
    const type = lookup(matrix.serviceTypes, serviceType);
    if (!type || lookup(matrix.protocols, runtimeProtocol) === undefined) return [];
    if (type.protocols.includes(String(runtimeProtocol))) return [];
    return [
      notAccepted(
        "runtimeProtocol",
        `${quoteValue(serviceType)} does not expose ${quoteValue(runtimeProtocol)}`,
        type.protocols,
      ),
    ];
  },
};
