/** The API's description, made of the route table, the schemas that it names and the error table. */
import { inputs } from "../core/contract/inputs.ts";
import * as z from "zod";
import * as bodies from "../core/contract/bodies.ts";
import { errorTable, type ErrorBody, type ErrorKind, type Ports } from "../core/index.ts";
import { parametersOf } from "./query.ts";
import type { ContentRoute, Describes, OperationRoute } from "./route.ts";
import { routes } from "./routes.ts";

type RuntimeContract = Awaited<ReturnType<Ports["facts"]["runtimeContract"]>>;
type Json = Readonly<Record<string, unknown>>;

export interface OpenApiOptions {
  readonly contract: RuntimeContract;
  readonly version: string;
  /** The path under which everything is served; empty at the root. */
  readonly publicPath?: string;
}

const errorSchema: Describes<typeof bodies.errorBody, ErrorBody> = bodies.errorBody;

/** What every route may answer, whatever it does. */
const COMMON_REFUSALS: readonly ErrorKind[] = ["FORBIDDEN", "UNAUTHORIZED", "RATE_LIMITED", "DEFECT"];

/** OpenAPI 3.1 of every route that answers JSON. */
export function openApiDocument({ contract, version, publicPath }: OpenApiOptions): Json {
  const described = routes.flatMap((route) =>
    "socket" in route || "isAsset" in route || "leadsTo" in route || route.response === undefined ? [] : [route],
  );
  // A request body is described where it is taken, with the keys of the runtime contract.
  const components = Object.entries(bodies).filter(([name]) => name.endsWith("Body"));
  components.sort(([a], [b]) => (a < b ? -1 : 1));
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of described) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, contract) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Service Management",
      version,
      description:
        "Runtime environment files of a backend service: read them, check them, change approved keys. " +
        "Every failure answers with one body, ErrorBody.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: publicPath || "/" }],
    paths,
    components: {
      schemas: Object.fromEntries(components.map(([name, body]) => [componentName(name), schemaOf(body)])),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "The value of SVC_SERVICE_MANAGEMENT_AUTH_TOKEN. On a loopback address reads need no token, and writes need " +
            "it where it is set; on any other address everything but /healthz needs it.",
        },
      },
    },
  };
}

function operationOf(route: OperationRoute | ContentRoute, contract: RuntimeContract): Json {
  return "operation" in route ? askedOperation(route, contract) : shownContent(route);
}

function askedOperation(route: OperationRoute, contract: RuntimeContract): Json {
  const { operation, summary, refusals, response, hasEntityTag } = route;
  const parameters = [...queryParameters(route, contract), ...headerParameters(route)];
  const kinds = [operation.refusal, ...refusals, ...COMMON_REFUSALS];
  return {
    operationId: operation.id,
    summary,
    security: [{}, { bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: requestBody(route, contract) }),
    responses: { 200: success(response, hasEntityTag), ...refusalsByStatus(kinds) },
  };
}

function shownContent({ content, summary, isOpen, response }: ContentRoute): Json {
  return {
    operationId: content,
    summary,
    security: isOpen ? [] : [{}, { bearer: [] }],
    responses: {
      200: success(response ?? z.unknown(), false),
      ...refusalsByStatus(["INVALID_REQUEST", ...COMMON_REFUSALS]),
    },
  };
}

/** Parameters that take an environment. */
const ENVIRONMENTS = new Set(["environment", "from", "to"]);

function queryParameters({ operation, query = [] }: OperationRoute, contract: RuntimeContract): Json[] {
  return parametersOf(inputs[operation.id], query).map(({ name, isRequired, schema }) => ({
    name,
    in: "query",
    required: isRequired,
    ...(ENVIRONMENTS.has(name)
      ? { description: environmentRule(contract, isRequired), schema: { ...schema, examples: spellings(contract) } }
      : { schema }),
  }));
}

function headerParameters({ ifMatch }: OperationRoute): Json[] {
  if (ifMatch === undefined) return [];
  const description = "Entity tag of the content that the change is meant for; another content is refused.";
  return [{ name: "If-Match", in: "header", required: false, description, schema: { type: "string" } }];
}

function requestBody({ body, takesYaml }: OperationRoute, contract: RuntimeContract): Json {
  const schema = body && bodySchema(body, contract);
  return {
    required: true,
    content: { "application/json": { schema }, ...(takesYaml && { "application/yaml": { schema } }) },
  };
}

/** The body's schema, with what each editable key accepts. */
function bodySchema(body: z.core.$ZodType, contract: RuntimeContract): Json {
  const { properties = {}, ...schema } = schemaOf(body) as { properties?: Record<string, Json> };
  const { environment, values } = properties;
  if (environment === undefined && values === undefined) return schema;
  return {
    ...schema,
    properties: {
      environment: {
        ...environment,
        description: environmentRule(contract, false),
        examples: spellings(contract),
      },
      values: {
        ...values,
        description: "Keys and their new values. A key that is not editable is ignored, and listed in ignoredKeys.",
        properties: editableKeys(contract),
      },
    },
  };
}

function editableKeys({ keys }: RuntimeContract): Json {
  const editable = Object.entries(keys).filter(([, { tier }]) => tier === "editable");
  return Object.fromEntries(editable.map(([key, spec]) => [key, valueSchema(spec)]));
}

function valueSchema(spec: RuntimeContract["keys"][string]): Json {
  const about = { type: "string", description: spec.help };
  if (spec.kind !== "enum") return about;
  return { ...about, enum: [...spec.values, ...(spec.allowEmpty === true ? [""] : [])], default: spec.default };
}

function environmentRule(contract: RuntimeContract, isRequired: boolean): string {
  const rule = `One of ${spellings(contract).join(", ")}; case and surrounding white space do not matter.`;
  return isRequired ? rule : `${rule} Without it NODE_ENV decides, else it is ${contract.defaultEnvironment}.`;
}

function spellings({ environments }: RuntimeContract): string[] {
  return Object.entries(environments).flatMap(([name, { aliases = [] }]) => [name, ...aliases]);
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

/** One response a status; kinds that share one are told together. */
function refusalsByStatus(kinds: readonly ErrorKind[]): Json {
  const content = { "application/json": { schema: referenceTo(errorSchema) } };
  const statuses = [...new Set(kinds.map((kind) => errorTable[kind].status))].toSorted((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const words = kinds.filter((kind) => errorTable[kind].status === status).map((kind) => errorTable[kind].error);
      return [status, { description: [...new Set(words)].join(" "), content }];
    }),
  );
}

/** JSON Schema as OpenAPI 3.1 takes it. A body inside of another is named, not repeated. */
function schemaOf(schema: z.core.$ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    override({ zodSchema, jsonSchema }) {
      const reference = zodSchema === schema ? undefined : referenceTo(zodSchema);
      if (reference === undefined) return;
      for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Record<string, unknown>)[key];
      Object.assign(jsonSchema, reference);
    },
  });
  return rest;
}

function referenceTo(schema: z.core.$ZodType): { $ref: string } | undefined {
  const name = Object.entries(bodies).find(([, body]) => body === schema)?.[0];
  return name === undefined ? undefined : { $ref: `#/components/schemas/${componentName(name)}` };
}

/** `envReadBody` is the component `EnvReadBody`. */
function componentName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
