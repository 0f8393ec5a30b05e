import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ServerResponse } from "node:http";
import {
  type Encoding,
  type ErrorDescription,
  type Identity,
  type MetricsFormat,
  type Ports,
  type RefusedAttempt,
  SvcmError,
  type TaggedResponse,
  describeError,
  entityTag,
  failureCode,
} from "../core/index.ts";
import { maxBodyBytesOf, unsupportedMediaType } from "./body.ts";
import type { Limits } from "./limits.ts";
import { type Route, isReadOnly } from "./route.ts";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const commonHeaders = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

export const jsonHeaders = { "content-type": "application/json; charset=utf-8", ...commonHeaders };

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

export function pageHeaders(mediaType: string): Record<string, string> {
  const isPage = mediaType.startsWith("text/html");
  return {
    "content-type": mediaType,
    ...commonHeaders,
    ...(isPage && { "content-security-policy": CONTENT_SECURITY_POLICY }),
  };
}

/** The name of an asset changes with its content. */
export function assetHeaders(mediaType: string): Record<string, string> {
  return { ...commonHeaders, "content-type": mediaType, "cache-control": "public, max-age=31536000, immutable" };
}

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** Escapes characters that a browser could mistake for markup or script. */
export function toJson(body: unknown): string {
  return JSON.stringify(body).replaceAll(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? "");
}

export interface FailureResponse extends ErrorDescription {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export function failureResponse(error: unknown, methods: readonly string[] = []): FailureResponse {
  const description = describeError(error);
  return {
    ...description,
    headers: {
      ...jsonHeaders,
      ...(description.status === 401 && { "www-authenticate": "Bearer" }),
      ...(description.status === 426 && { upgrade: "websocket", "sec-websocket-version": "13" }),
      ...(description.retryAfterSeconds !== undefined && { "retry-after": String(description.retryAfterSeconds) }),
      ...(description.status === 405 && { allow: methods.join(", ") }),
    },
    text: toJson(description.body),
  };
}

export function sendFailure(reply: FastifyReply, { status, headers, text }: FailureResponse): void {
  closeAfterBody(reply.raw);
  // Fastify closes the connection of a body that is too large. A server that is closing does so, too.
  if (reply.hasHeader("connection") && !reply.raw.hasHeader("connection")) reply.removeHeader("connection");
  void reply.code(status).headers(headers).send(text);
}

/**
 * A client that still sends its body could not read the response if the connection were closed at once. It would report a
 * broken connection, and a proxy would answer 502. So the rest of the body is read first, and dropped.
 */
function closeAfterBody(response: ServerResponse): void {
  const { req: request, shouldKeepAlive: isKept } = response;
  const { "content-length": length = 0, "transfer-encoding": coding } = request.headers;
  if (request.complete || (coding === undefined && Number(length) === 0)) return;
  response.shouldKeepAlive = true;
  if (isKept) return;
  const close = (): void => request.socket.destroySoon();
  response.once("finish", () => (request.complete ? close() : request.once("end", close)));
}

export interface JsonResponse {
  readonly text: string;
  readonly entityTag?: string;
}

/** Serialises the response again only after the file or the contract has changed. */
export function envResponses(ports: Ports): (read: TaggedResponse<unknown>) => Promise<JsonResponse> {
  const cache = new Map<string, Required<JsonResponse> & { readonly bytes: Uint8Array; readonly contract: unknown }>();
  return async (read) => {
    const { bytes, source } = read;
    if (source === undefined) return { text: toJson(read.response), entityTag: await entityTag(ports, bytes) };
    const { contract } = source;
    const key = `${source.environment}\0${source.path}`;
    const cached = cache.get(key);
    if (cached?.contract === contract && Buffer.compare(cached.bytes, bytes) === 0) return cached;
    const response = { bytes, contract, text: toJson(read.response), entityTag: await entityTag(ports, bytes) };
    cache.set(key, response);
    return response;
  };
}

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

/**
 * Covers requests without a valid token, and those that could have changed something, unless their operation has run.
 */
export function toRefusedAttempt(request: FastifyRequest, error: unknown): RefusedAttempt | undefined {
  if (!(error instanceof SvcmError) || error.body.code === REQUEST_CUT_OFF) return undefined;
  const { route } = request.routeOptions.config;
  const { address, hasStarted, identity } = request;
  if (!isTokenRefusal(error) && (hasStarted || !couldChange(route, error))) return undefined;
  return { action: actionOf(route), source: "http", address, code: failureCode(error), ...actorOf(identity) };
}

/** The core refuses these before the operation begins, so they are not recorded yet. */
export function isTokenRefusal({ kind, body: { code } }: SvcmError): boolean {
  return kind === "UNAUTHORIZED" || kind === "RATE_LIMITED" || code === "RIGHT_MISSING" || code === "TOKEN_LIMITED";
}

/** A record contains the address instead of an anonymous caller. */
export function actorOf({ actor, role }: Identity): { readonly actor?: string } {
  return role === undefined || actor === undefined ? {} : { actor };
}

export function hasStartedChange({ hasStarted, routeOptions }: FastifyRequest): boolean {
  const { route } = routeOptions.config;
  return hasStarted && route !== undefined && "operation" in route && !isReadOnly(route.operation);
}

/** A WebSocket accepts actions, so opening one from another site counts as an attempt to act. */
function couldChange(route: Route | undefined, { kind }: SvcmError): boolean {
  if (route === undefined) return false;
  return "socket" in route ? kind === "FORBIDDEN" : "operation" in route && !isReadOnly(route.operation);
}

function actionOf(route: Route | undefined): string {
  if (route === undefined) return "request";
  if ("operation" in route) return route.operation.id;
  if ("socket" in route) return "stream.open";
  return "content" in route ? `${route.content}.read` : "request";
}

/** Shorter texts gain nothing noticeable. */
export const MIN_COMPRESSED_BYTES = 1024;
/** Twice the bytes of the best level, in a tenth of the time. */
const BROTLI_QUALITY = 4;

const brotli = promisify<string, object, Buffer>(brotliCompress);
const zip = promisify<string, Buffer>(gzip);
const compressors: Record<Encoding, (text: string) => Promise<Buffer>> = {
  br: (text) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (text) => zip(text),
};

export function compressResponses(app: FastifyInstance): void {
  app.addHook("onSend", async ({ headers }, reply, payload) => {
    if (typeof payload !== "string" || payload === "") return payload;
    void reply.header("vary", "accept-encoding");
    if (Buffer.byteLength(payload) <= MIN_COMPRESSED_BYTES) return payload;
    const encoding = encodingFor(headers["accept-encoding"]);
    if (encoding === undefined) return payload;
    void reply.header("content-encoding", encoding).removeHeader("content-length");
    return await compressors[encoding](payload);
  });
}

/** Content negotiation: the formats and encodings that a client accepts. */

interface Accepted {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** 0 if the client refuses it. */
  readonly quality: number;
}

function parseAccept(header: string): Accepted[] {
  return header.split(",").map((range) => {
    const [name = "", ...rest] = range.split(";").map((part) => part.trim().toLowerCase());
    const parameters = Object.fromEntries(rest.map((part) => part.split("=", 2).map((text) => text.trim())));
    return { name, parameters, quality: Number(parameters["q"] ?? 1) || 0 };
  });
}

const encodings: readonly Encoding[] = ["br", "gzip"];

export function encodingFor(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const qualities = new Map(parseAccept(header).map(({ name, quality }) => [name, quality]));
  const qualityOf = (encoding: Encoding): number => qualities.get(encoding) ?? qualities.get("*") ?? 0;
  const [best] = encodings.toSorted((a, b) => qualityOf(b) - qualityOf(a));
  return best !== undefined && qualityOf(best) > 0 ? best : undefined;
}

const OPEN_METRICS_VERSIONS = new Set(["", "0.0.1", "1.0.0"]);

/** As in Prometheus' client libraries: OpenMetrics if the client prefers it, otherwise the older text format. */
export function metricsFormat(header = ""): MetricsFormat {
  const [first] = parseAccept(header)
    .filter((accepted) => accepted.quality > 0 && (isOpenMetrics(accepted) || isText(accepted)))
    .toSorted((a, b) => b.quality - a.quality);
  return first !== undefined && isOpenMetrics(first) ? "openmetrics" : "prometheus";
}

function isOpenMetrics({ name, parameters }: Accepted): boolean {
  return name === "application/openmetrics-text" && OPEN_METRICS_VERSIONS.has(parameters["version"] ?? "");
}

function isText({ name, parameters }: Accepted): boolean {
  return name === "text/plain" && ["", "0.0.4"].includes(parameters["version"] ?? "");
}
