import type * as z from "zod";
import * as bodies from "../core/api/bodies.ts";
import { wordPattern } from "../core/api/names.ts";
import { errorTable, METRICS_TYPES, type ErrorKind } from "../core/index.ts";
import {
  contentParameters,
  environmentRule,
  operationParameters,
  spellingsFor,
  type Facts,
  componentSchemas,
  type Json,
  referenceTo,
  schemaOf,
  valueSchema,
} from "./openapi-parameters.ts";
import { isRemote, tags, type ContentRoute, type OperationRoute } from "./route.ts";
import { routes } from "./routes.ts";

export interface OpenApiOptions extends Facts {
  readonly version: string;
  readonly publicPath?: string;
}

const COMMON_REFUSALS: readonly ErrorKind[] = ["FORBIDDEN", "UNAUTHORIZED", "RATE_LIMITED", "DEFECT"];

const INFO = {
  title: "Service Management",
  description:
    "Runtime environment files of a backend service: read them, check them, change approved keys. " +
    "Every failure answers with one body, Failure.",
  license: { name: "MIT", identifier: "MIT" },
};

const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "The value of SVC_SERVICE_MANAGEMENT_AUTH_TOKEN, or a token of `svcm token create`. On a loopback address reads " +
      "need no token, and writes need one if there is one; on any other address everything but /healthz needs one.",
  },
};

export function openApiDocument({ contract, matrix, version, publicPath }: OpenApiOptions): Json {
  return {
    openapi: "3.1.1",
    info: { ...INFO, version },
    servers: [{ url: publicPath || "/" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: pathItems({ contract, matrix }),
    components: { schemas: componentSchemas(), securitySchemes: SECURITY_SCHEMES },
  };
}

function pathItems(facts: Facts): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    if (!("operation" in route || "content" in route) || route.tag === undefined) continue;
    const operation = "operation" in route ? operationItem(route, facts) : contentItem(route);
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
  }
  return paths;
}

function operationItem(route: OperationRoute, facts: Facts): Json {
  const { operation, refusals } = route;
  const parameters = operationParameters(route, facts);
  const nodeRefusals: readonly ErrorKind[] = isRemote(route) ? ["INVALID_REQUEST", "FLEET_FAILED"] : [];
  const kinds = [operation.refusal, ...refusals, ...nodeRefusals, ...COMMON_REFUSALS];
  return {
    operationId: operation.id,
    ...documentation(route),
    security: [{}, { bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: requestBody(route, facts) }),
    responses: { ...successes(route), ...refusalsByStatus(kinds) },
  };
}

function contentItem(route: ContentRoute): Json {
  const { content, isOpen, response } = route;
  const parameters = contentParameters(route);
  return {
    operationId: content,
    ...documentation(route),
    security: isOpen ? [] : [{}, { bearer: [] }],
    ...(parameters && { parameters }),
    responses: {
      200: response === undefined ? metricsResponse : success(response, false),
      ...refusalsByStatus(["INVALID_REQUEST", ...COMMON_REFUSALS]),
    },
  };
}

function documentation({ summary, description, tag }: Pick<ContentRoute, "summary" | "description" | "tag">): Json {
  return { summary, ...(description !== undefined && { description }), ...(tag !== undefined && { tags: [tag] }) };
}

const metricsResponse: Json = {
  description: "The metrics, in the text that the client accepts.",
  content: Object.fromEntries(
    Object.values(METRICS_TYPES).map((type) => [type.split(";")[0], { schema: { type: "string" } }]),
  ),
};

/** Lists only JSON, because generated clients set no media type if there are several. */
function requestBody({ body, operation }: OperationRoute, facts: Facts): Json {
  const schema = body && bodySchema(body, spellingsFor(operation, facts), facts.contract);
  return { required: true, content: { "application/json": { schema } } };
}

function bodySchema(body: z.core.$ZodType, spellings: readonly string[], contract: Facts["contract"]): Json {
  const { properties = {}, ...schema } = schemaOf(body) as { properties?: Record<string, Json> };
  const { environment, values } = properties;
  const described = {
    ...environment,
    description: environmentRule(spellings, contract, false),
    pattern: wordPattern(spellings),
    examples: spellings,
  };
  return {
    ...schema,
    ...(Object.keys(properties).length > 0 && {
      properties: {
        ...properties,
        ...(environment !== undefined && { environment: described }),
        ...(values !== undefined && { values: valuesSchema(contract) }),
      },
    }),
  };
}

function valuesSchema(contract: Facts["contract"]): Json {
  return {
    type: "object",
    description: "Keys and their new values. A key that is not editable is ignored, and listed in ignoredKeys.",
    properties: editableKeys(contract),
    // Generators turn additionalProperties into an index signature, which conflicts with optional keys.
    patternProperties: { "": { type: "string" } },
  };
}

function editableKeys({ keys }: Facts["contract"]): Json {
  const editable = Object.entries(keys).filter(([, { tier }]) => tier === "editable");
  return Object.fromEntries(editable.map(([key, spec]) => [key, valueSchema(spec)]));
}

function successes({ response, hasEntityTag, runsInBackground }: OperationRoute): Json {
  const ok = success(response, hasEntityTag);
  return runsInBackground === undefined
    ? { 200: ok }
    : { 200: { ...ok, description: "There was nothing to do." }, 202: ok };
}

function success(response: z.ZodType, hasEntityTag: boolean): Json {
  const { description = "" } = response;
  const headers = { ETag: { description: "Entity tag of the file's content.", schema: { type: "string" } } };
  return {
    description,
    ...(hasEntityTag && { headers }),
    content: { "application/json": { schema: referenceTo(response) ?? schemaOf(response) } },
  };
}

function refusalsByStatus(kinds: readonly ErrorKind[]): Json {
  const content = { "application/json": { schema: referenceTo(bodies.failureBody) } };
  const statuses = [...new Set(kinds.map((kind) => errorTable[kind].status))].toSorted((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const descriptions = kinds
        .filter((kind) => errorTable[kind].status === status)
        .map((kind) => errorTable[kind].error);
      return [status, { description: [...new Set(descriptions)].join(" "), content }];
    }),
  );
}
