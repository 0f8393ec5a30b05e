import type { FastifyRequest } from "fastify";
import { SvcmError } from "../core/index.ts";
import { maxBodyBytesOf, unsupportedMediaType } from "./body.ts";
import type { Limits } from "./limits.ts";

export const REQUEST_CUT_OFF = "REQUEST_CUT_OFF";

export function requestCutOff(details: string): SvcmError {
  return new SvcmError("INVALID_PAYLOAD", { code: REQUEST_CUT_OFF, details });
}

/** Returns errors that do not come from Fastify or Node unchanged. */
export function toRefusal(error: unknown, request: FastifyRequest, limits: Limits): unknown {
  if (error === request.raw.errored) {
    return requestCutOff("The connection ended within the body.");
  }
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new SvcmError("PAYLOAD_TOO_LARGE", {
        details: `Accepted: a body of at most ${maxBodyBytesOf(request.routeOptions.config.route, limits)} bytes.`,
      });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return unsupportedMediaType(request.routeOptions.config.route);
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new SvcmError("INVALID_PAYLOAD", { details: "The body does not have the length that it announced." });
    case "FST_ERR_BAD_URL":
    case "FST_ERR_MAX_PARAM_LENGTH":
      return new SvcmError("INVALID_REQUEST", { details: "The request target is not a valid path." });
    default:
      return error;
  }
}
