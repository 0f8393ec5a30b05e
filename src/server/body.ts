import type { FastifyInstance, FastifyRequest } from "fastify";
import { SvcmError } from "../core/index.ts";
import type { Limits } from "./limits.ts";
import type { McpRoute, OperationRoute, Route } from "./route.ts";

const UTF8 = /[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*(?:utf-8|"utf-8")[ \t]*)?$/i.source;
const JSON_TYPE = new RegExp(`^application/json${UTF8}`, "i");
const YAML_TYPE = new RegExp(`^application/yaml${UTF8}`, "i");

/** Each route has already refused other media types. */
export function parseBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
}

/** A form or a simple cross-site request cannot send these types. @throws {SvcmError} UNSUPPORTED_MEDIA_TYPE */
export function requireMediaType({ headers }: FastifyRequest, route: OperationRoute | McpRoute): void {
  const type = headers["content-type"];
  const isEmpty = headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;
  if (type === undefined ? isEmpty : JSON_TYPE.test(type) || isYaml(type, route)) return;
  throw unsupportedMediaType(route);
}

export function maxBodyBytesOf(route: Route | undefined, { maxBodyBytes, maxDocumentBytes }: Limits): number {
  const isLarge = route !== undefined && ("takesYaml" in route || "takesDocument" in route);
  return isLarge ? maxDocumentBytes : maxBodyBytes;
}

export function isYaml(type: string | undefined, route: OperationRoute | McpRoute): boolean {
  return "takesYaml" in route && type !== undefined && YAML_TYPE.test(type);
}

export function unsupportedMediaType(route: Route | undefined): SvcmError {
  const types =
    route !== undefined && "takesYaml" in route ? "application/json or application/yaml" : "application/json";
  return new SvcmError("UNSUPPORTED_MEDIA_TYPE", { details: `Accepted: Content-Type: ${types}.` });
}
