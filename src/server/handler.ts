import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from "fastify";
import type { ZodMiniType } from "zod/mini";
import { inputs } from "../core/api/inputs.ts";
import { parseInput } from "../core/access/parse.ts";
import {
  execute,
  METRICS_TYPES,
  SvcmError,
  type Caller,
  type TaggedResponse,
  type Ports,
  type ConsoleFiles,
} from "../core/index.ts";
import {
  type JsonResponse,
  assetHeaders,
  encodingFor,
  envResponses,
  jsonHeaders,
  metricsFormat,
  pageHeaders,
  requestCutOff,
  toJson,
} from "./response.ts";
import { isYaml, parametersOf, queryReader, repeatedParameter } from "./body.ts";
import { contentRenderer } from "./content.ts";
import { parseJson } from "../core/words/json.ts";
import type { Limits } from "./limits.ts";
import type { Fleet } from "./fleet.ts";
import type { Rollouts } from "./rollouts.ts";
import { mcpHandler, type Mcp } from "./mcp.ts";
import type { Channel } from "./socket/channel.ts";
import { isRemote, type ContentRoute, type OperationRoute, type Route } from "./route.ts";

export interface HandlerContext {
  readonly ports: Ports;
  readonly version: string;
  readonly limits: Limits;
  readonly console: ConsoleFiles;
  readonly channel: Channel;
  readonly rollouts: Rollouts;
  readonly publicPath: string;
  readonly fleet: Fleet;
  readonly mcp: Mcp;
}

export function createHandler(route: Route, context: HandlerContext): RouteHandlerMethod {
  if ("isAsset" in route) return assetHandler(context);
  if ("isRedirect" in route) return redirectHandler(context);
  if ("isMcp" in route) return mcpHandler(context.mcp);
  if ("socket" in route) return socketHandler(context);
  if ("runsInBackground" in route) return backgroundHandler(route, context);
  return "operation" in route ? operationHandler(route, context) : contentHandler(route, context);
}

function operationHandler(route: OperationRoute, { ports, limits, fleet }: HandlerContext): RouteHandlerMethod {
  const { operation } = route;
  const readInput = inputReader(route, { limits, ports });
  const toResponse = route.hasEntityTag ? taggedResponses(ports) : plainResponse;
  return async (request, reply) => {
    const input = readInput(request);
    request.hasStarted = true;
    const node = nodeOf(request);
    const { text, entityTag } =
      node === undefined
        ? await toResponse(await execute(operation, ports, input, callerOf(request, reply)))
        : nodeResponse(route, await fleet.askAs(node, operation, input, request.identity));
    void reply.headers(jsonHeaders);
    if (entityTag !== undefined) void reply.header("etag", entityTag);
    return text;
  };
}

function backgroundHandler(route: OperationRoute, context: HandlerContext): RouteHandlerMethod {
  const { rollouts, fleet } = context;
  const readInput = inputReader(route, context);
  return async (request, reply) => {
    const input = readInput(request);
    request.hasStarted = true;
    const node = nodeOf(request);
    const started =
      node === undefined
        ? await rollouts.start(route.operation, input, { ...request.identity, source: "http" })
        : await fleet.start(node, route.operation, input, request.identity);
    void reply.code(started.release === null ? 200 : 202).headers(jsonHeaders);
    return toJson(started);
  };
}

/** Creates the signal on first use, because most operations do not need it. */
function callerOf({ identity }: FastifyRequest, { raw }: FastifyReply): Caller {
  return {
    ...identity,
    source: "http",
    get signal() {
      const disconnected = new AbortController();
      raw.once("close", () => disconnected.abort(requestCutOff("The client left before the answer.")));
      return disconnected.signal;
    },
  };
}

const NO_INPUT = inputs["identity.show"];

function contentHandler(route: ContentRoute, context: HandlerContext): RouteHandlerMethod {
  const headers = pageHeaders(route.mediaType);
  const content = contentRenderer(route.content, context);
  const { input: schema = NO_INPUT, query: names = [] } = route;
  const readQuery = queryReader(
    () => parametersOf(schema, names),
    () => context.ports.clock.now(),
  );
  return async (request, reply) => {
    const rawQuery = request.query as Record<string, unknown>;
    const query = route.response && parseInput(schema, readQuery(rawQuery), "INVALID_REQUEST");
    const format = metricsFormat(request.headers.accept);
    void reply.headers(headers);
    if (route.content === "metrics") void reply.headers({ "content-type": METRICS_TYPES[format], vary: "accept" });
    const { node } = rawQuery;
    const { host: address = "" } = request.headers;
    return await content({ format, node: typeof node === "string" ? node : undefined, address, query });
  };
}

function assetHandler({ console: { assets } }: HandlerContext): RouteHandlerMethod {
  return (request, reply) => {
    const { file } = request.params as { file: string };
    const asset = assets.get(file);
    if (asset === undefined) throw new SvcmError("NOT_FOUND");
    const encoding = asset.compressed.size === 0 ? undefined : encodingFor(request.headers["accept-encoding"]);
    const compressed = encoding && asset.compressed.get(encoding);
    void reply.headers(assetHeaders(asset.mediaType)).header("vary", "accept-encoding");
    if (compressed !== undefined) void reply.header("content-encoding", encoding);
    void reply.send(compressed ?? asset.bytes);
  };
}

/** The page has one URL, because its files are relative to it. */
function redirectHandler({ publicPath }: HandlerContext): RouteHandlerMethod {
  const location = publicPath === "" ? "./" : `${publicPath}/`;
  return (_request, reply) => {
    void reply
      .code(302)
      .headers({ ...jsonHeaders, location })
      .send("");
  };
}

function socketHandler({ channel }: HandlerContext): RouteHandlerMethod {
  const readQuery = queryReader(
    () => [],
    () => 0,
  );
  return (request, reply) => {
    readQuery(request.query as Record<string, unknown>);
    channel.open(request, reply);
  };
}

function inputReader(
  route: OperationRoute,
  { limits, ports }: Pick<HandlerContext, "limits" | "ports">,
): (request: FastifyRequest) => unknown {
  const { operation, query = [], body, ifMatch, fixed } = route;
  const schema: ZodMiniType = inputs[operation.id];
  const readQuery = queryReader(
    () => parametersOf(schema, query),
    () => ports.clock.now(),
  );
  return (request) => {
    const { "if-match": tags, "content-type": type } = request.headers;
    const { node: _node, ...rest } = request.query as Record<string, unknown>;
    const queried = readQuery(isRemote(route) ? rest : (request.query as Record<string, unknown>));
    if (isYaml(type, route)) return parseInput(schema, rawBody(request), operation.refusal);
    const sent: object =
      body === undefined ? {} : parseInput(body, parseJson(rawBody(request), limits.maxBodyDepth), operation.refusal);
    const twice = Object.keys(queried).find((name) => Object.hasOwn(sent, name));
    if (twice !== undefined) throw repeatedParameter(twice);
    const input = {
      ...(request.params as Readonly<Record<string, string>>),
      ...queried,
      ...sent,
      ...(ifMatch !== undefined && tags !== undefined && { [ifMatch]: tags }),
      ...fixed,
    };
    return parseInput(schema, input, operation.refusal);
  };
}

/** Called after the query was accepted, so only remote operations have a node. */
function nodeOf({ query }: FastifyRequest): string | undefined {
  const { node } = query as Readonly<Record<string, unknown>>;
  if (node === undefined || typeof node === "string") return node;
  throw repeatedParameter("node");
}

function nodeResponse({ hasEntityTag }: OperationRoute, output: unknown): JsonResponse {
  if (!hasEntityTag) return plainResponse(output);
  const { response, entityTag } = output as { readonly response: unknown; readonly entityTag?: string };
  return { text: toJson(response), ...(entityTag !== undefined && { entityTag }) };
}

function rawBody({ body }: FastifyRequest): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array();
}

function taggedResponses(ports: Ports): (output: unknown) => Promise<JsonResponse> {
  const toResponse = envResponses(ports);
  return (output) => toResponse(output as TaggedResponse<unknown>);
}

function plainResponse(output: unknown): JsonResponse {
  return { text: toJson(output) };
}
