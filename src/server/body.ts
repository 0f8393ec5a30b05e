import type { FastifyInstance, FastifyRequest } from "fastify";
import { SvcmError } from "../core/index.ts";

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*(?:utf-8|"utf-8")[ \t]*)?$/i;

/** Bodies arrive as bytes, whatever their type: the routes that take one refuse a foreign type first. */
export function takeBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
}

/**
 * Only a type that no HTML form and no simple cross-site request can have is taken.
 *
 * @throws {SvcmError} UNSUPPORTED_MEDIA_TYPE
 */
export function requireJson({ headers }: FastifyRequest): void {
  const type = headers["content-type"];
  const isEmpty = headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;
  if (type === undefined ? isEmpty : JSON_TYPE.test(type)) return;
  throw new SvcmError("UNSUPPORTED_MEDIA_TYPE", { details: "Accepted: Content-Type: application/json." });
}
