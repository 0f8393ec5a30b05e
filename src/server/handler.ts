import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from "fastify";
import type { ZodMiniType } from "zod/mini";
import { inputs } from "../core/api/inputs.ts";
import { parseInput } from "../core/api/parse.ts";
import { execute, METRICS_TYPES, SvcmError, type Caller, type TaggedResponse, type Ports } from "../core/index.ts";
import { assetHeaders, jsonHeaders, pageHeaders, toJson } from "./answer.ts";
import { isYaml } from "./body.ts";
import { encodingFor } from "./compression.ts";
import { contentOf } from "./content.ts";
import { envAnswers, type Answer } from "./env-answer.ts";
import { requestCutOff } from "./failure.ts";
import { parseJson } from "../core/words/json-text.ts";
import type { ConsoleFiles } from "../core/index.ts";
import type { Limits } from "./limits.ts";
import type { LazyMachines } from "./machines.ts";
import { metricsFormat } from "./metrics-format.ts";
import { parametersOf, queryReader } from "./query.ts";
import type { Rollouts } from "./rollouts.ts";
import type { Channel } from "./socket/channel.ts";
import { isRemote, type ContentRoute, type OperationRoute, type Route } from "./route.ts";

export interface Serving {
  readonly ports: Ports;
  readonly version: string;
  readonly limits: Limits;
  readonly console: ConsoleFiles;
  readonly channel: Channel;
  readonly rollouts: Rollouts;
  readonly publicPath: string;
  readonly machines: LazyMachines;
}

export function handlerOf(row: Route, serving: Serving): RouteHandlerMethod {
  if ("isAsset" in row) return assetHandler(serving);
  if ("leadsTo" in row) return redirectHandler(serving);
  if ("socket" in row) return socketHandler(serving);
  if ("goesOn" in row) return goingOnHandler(row, serving);
  return "operation" in row ? operationHandler(row, serving) : contentHandler(row, serving);
}

function operationHandler(row: OperationRoute, { ports, limits, machines }: Serving): RouteHandlerMethod {
  const { operation } = row;
  const readInput = inputReader(row, limits);
  const answerOf = row.hasEntityTag ? answersWithTag(ports) : plainAnswer;
  return async (request, reply) => {
    const input = readInput(request);
    request.hasRun = true;
    const node = nodeIn(request);
    const { text, entityTag } =
      node === undefined
        ? answerOf(await execute(operation, ports, input, callerOf(request, reply)))
        : answerOfNode(row, await machines.askFor(node, operation, input, request.identity));
    void reply.headers(jsonHeaders);
    if (entityTag !== undefined) void reply.header("etag", entityTag);
    return text;
  };
}

function goingOnHandler(row: OperationRoute, { rollouts, limits, machines }: Serving): RouteHandlerMethod {
  const readInput = inputReader(row, limits);
  return async (request, reply) => {
    const input = readInput(request);
    request.hasRun = true;
    const node = nodeIn(request);
    const begun =
      node === undefined
        ? await rollouts.begin(row.operation, input, { ...request.identity, source: "http" })
        : await machines.begin(node, row.operation, input, request.identity);
    void reply.code(begun.release === null ? 200 : 202).headers(jsonHeaders);
    return toJson(begun);
  };
}

/** Creates the signal on first use, because most operations do not need it. */
function callerOf({ identity }: FastifyRequest, { raw }: FastifyReply): Caller {
  return {
    ...identity,
    source: "http",
    get signal() {
      const leaving = new AbortController();
      raw.once("close", () => leaving.abort(requestCutOff("The client left before the answer.")));
      return leaving.signal;
    },
  };
}

const NOTHING = inputs["identity.show"];

function contentHandler(row: ContentRoute, serving: Serving): RouteHandlerMethod {
  const headers = pageHeaders(row.mediaType);
  const content = contentOf(row.content, serving);
  const { input: schema = NOTHING, query: names = [] } = row;
  const readQuery = queryReader(parametersOf(schema, names));
  return async (request, reply) => {
    const given = request.query as Record<string, unknown>;
    const query = row.response && parseInput(schema, readQuery(given), "INVALID_REQUEST");
    const format = metricsFormat(request.headers.accept);
    void reply.headers(headers);
    if (row.content === "metrics") void reply.headers({ "content-type": METRICS_TYPES[format], vary: "accept" });
    const { node } = given;
    const { host: address = "" } = request.headers;
    return await content({ format, node: typeof node === "string" ? node : undefined, address, query });
  };
}

function assetHandler({ console: { assets } }: Serving): RouteHandlerMethod {
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
function redirectHandler({ publicPath }: Serving): RouteHandlerMethod {
  const location = publicPath === "" ? "./" : `${publicPath}/`;
  return (_request, reply) => {
    void reply
      .code(302)
      .headers({ ...jsonHeaders, location })
      .send("");
  };
}

function socketHandler({ channel }: Serving): RouteHandlerMethod {
  const readQuery = queryReader([]);
  return (request, reply) => {
    readQuery(request.query as Record<string, unknown>);
    channel.open(request, reply);
  };
}

function inputReader(row: OperationRoute, limits: Limits): (request: FastifyRequest) => unknown {
  const { operation, query = [], body, ifMatch, fixed } = row;
  const schema: ZodMiniType = inputs[operation.id];
  const readQuery = queryReader(parametersOf(schema, query));
  return (request) => {
    const { "if-match": tags, "content-type": type } = request.headers;
    const { node: _node, ...asked } = request.query as Record<string, unknown>;
    const queried = readQuery(isRemote(row) ? asked : (request.query as Record<string, unknown>));
    if (isYaml(type, row)) return parseInput(schema, bytesOf(request), operation.refusal);
    const input = {
      ...(request.params as Readonly<Record<string, string>>),
      ...queried,
      ...(body && bodyOf(request, body, operation.refusal, limits)),
      ...(ifMatch !== undefined && tags !== undefined && { [ifMatch]: tags }),
      ...fixed,
    };
    return parseInput(schema, input, operation.refusal);
  };
}

/** Called after the query was accepted, so only remote operations have a node. */
function nodeIn({ query }: FastifyRequest): string | undefined {
  const { node } = query as Readonly<Record<string, unknown>>;
  if (node === undefined || typeof node === "string") return node;
  throw new SvcmError("INVALID_REQUEST", {
    details: "The query parameter node is given more than once. Give it once.",
  });
}

function answerOfNode({ hasEntityTag }: OperationRoute, output: unknown): Answer {
  if (!hasEntityTag) return plainAnswer(output);
  const { response, entityTag } = output as { readonly response: unknown; readonly entityTag?: string };
  return { text: toJson(response), ...(entityTag !== undefined && { entityTag }) };
}

function bytesOf({ body }: FastifyRequest): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array();
}

function bodyOf(
  request: FastifyRequest,
  schema: NonNullable<OperationRoute["body"]>,
  refusal: OperationRoute["operation"]["refusal"],
  limits: Limits,
): object {
  return parseInput(schema, parseJson(bytesOf(request), limits.maxBodyDepth), refusal);
}

function answersWithTag(ports: Ports): (output: unknown) => Answer {
  const answer = envAnswers(ports);
  return (output) => answer(output as TaggedResponse<unknown>);
}

function plainAnswer(output: unknown): Answer {
  return { text: toJson(output) };
}
