import { inputs } from "../core/api/inputs.ts";
import { wordPattern, anyCasePattern } from "../core/api/names.ts";
import { ecosystemSpellings, envSpellings, type Ports } from "../core/index.ts";
import { parametersOf } from "./body.ts";
import { isRemote, type ContentRoute, type OperationRoute } from "./route.ts";
import * as z from "zod";
import * as bodies from "../core/api/bodies.ts";
import { issueBody } from "../core/api/body.ts";
import { begunBody } from "../core/api/rollout-requests.ts";
import * as rollout from "../core/api/rollout.ts";

type RuntimeContract = Awaited<ReturnType<Ports["facts"]["runtimeContract"]>>;

export interface Facts {
  readonly contract: RuntimeContract;
  readonly matrix: Awaited<ReturnType<Ports["facts"]["capabilityMatrix"]>>;
}

export function operationParameters(route: OperationRoute, facts: Facts): Json[] {
  return [
    ...pathParameters(route),
    ...queryParameters(route, facts),
    ...(isRemote(route) ? [nodeParameter] : []),
    ...headerParameters(route),
  ];
}

export function contentParameters({ input, query = [] }: ContentRoute): Json[] | undefined {
  return (
    input &&
    parametersOf(input, query).map(({ name, isRequired, schema }) => ({
      name,
      in: "query",
      required: isRequired,
      schema,
    }))
  );
}

const ENVIRONMENT_PARAMETERS = new Set(["environment", "from", "to"]);

function pathParameters({ operation, path }: OperationRoute): Json[] {
  const names = [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) => name ?? []);
  const parameters = parametersOf(inputs[operation.id], names);
  return parameters.map(({ name, schema }) => ({ name, in: "path", required: true, schema }));
}

function queryParameters({ operation, query = [] }: OperationRoute, facts: Facts): Json[] {
  const spellings = spellingsFor(operation, facts);
  return parametersOf(inputs[operation.id], query).map(({ name, isRequired, schema }) => ({
    name,
    in: "query",
    required: isRequired,
    ...(ENVIRONMENT_PARAMETERS.has(name) && schema.type === "string"
      ? {
          description: environmentRule(spellings, facts.contract, isRequired),
          schema: { ...schema, pattern: wordPattern(spellings), examples: spellings },
        }
      : { schema: name === "serviceKind" ? { ...schema, enum: Object.keys(facts.matrix.serviceKinds) } : schema }),
  }));
}

const nodeParameter: Json = {
  name: "node",
  in: "query",
  required: false,
  description: "Name of the machine of the fleet that answers; without it, this one.",
  schema: { type: "string" },
};

function headerParameters({ ifMatch }: OperationRoute): Json[] {
  if (ifMatch === undefined) return [];
  const description = "Entity tag of the content that you read; a change to any other content is refused.";
  return [{ name: "If-Match", in: "header", required: false, description, schema: { type: "string" } }];
}

export function environmentRule(spellings: readonly string[], contract: RuntimeContract, isRequired: boolean): string {
  const rule = `One of ${spellings.join(", ")}; case and surrounding white space do not matter.`;
  return isRequired ? rule : `${rule} Without it NODE_ENV decides, else it is ${contract.defaultEnvironment}.`;
}

/** Ecosystem files may exist for environments without an env file. */
export function spellingsFor({ id }: OperationRoute["operation"], { contract, matrix }: Facts): string[] {
  return [...(id.startsWith("env.") ? envSpellings(contract) : ecosystemSpellings(contract, matrix)).keys()];
}

export type Json = Readonly<Record<string, unknown>>;

const namedSchemas = Object.entries<unknown>({ ...bodies, begunBody, issueBody, ...rollout }).filter(([name]) =>
  name.endsWith("Body"),
);

export function componentSchemas(): Json {
  const components = namedSchemas.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(components.map(([name, body]) => [componentName(name), schemaOf(body as z.core.$ZodType)]));
}

export function schemaOf(schema: z.core.$ZodType): Json {
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

export function referenceTo(schema: z.core.$ZodType): { $ref: string } | undefined {
  const name = namedSchemas.find(([, body]) => body === schema)?.[0];
  return name === undefined ? undefined : { $ref: `#/components/schemas/${componentName(name)}` };
}

/** `envReadBody` becomes `EnvRead`, because generators use the suffix `Body` for request bodies. */
function componentName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replace(/Body$/, "");
}

type KeySpec = Awaited<ReturnType<Ports["facts"]["runtimeContract"]>>["keys"][string];

const MAX_VALUE_LENGTH = 4096;
const NO_CONTROL_CHARACTERS = "^[^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029]*$";
const HOST = "[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?";
const IPV6 =
  "\\[::(?:[0-9A-Fa-f]{1,4})?\\]|\\[(?:[0-9A-Fa-f]{1,4}:){1,6}:[0-9A-Fa-f]{1,4}\\]|\\[(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}\\]";
const PORT = "[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]";
/** A parameter with such a name may carry a credential. */
const SECRET_WORDS = ["password", "passwd", "secret", "token", "auth", "key"];
const REDIS_URL = `rediss?://(?:${HOST}|${IPV6})(?::(?:${PORT}))?(?:/[A-Za-z0-9._~/-]*)?(?:\\?[A-Za-z0-9._~=&-]*)?`;

export function valueSchema(spec: KeySpec): Json {
  const about = { type: "string", description: spec.help };
  const mayBeEmpty = "allowEmpty" in spec && spec.allowEmpty === true;
  switch (spec.kind) {
    case "enum":
      return { ...about, enum: [...spec.values, ...(mayBeEmpty ? [""] : [])], default: spec.default };
    case "redis-url":
      return { ...about, maxLength: MAX_VALUE_LENGTH, pattern: redisUrlPattern(mayBeEmpty) };
    case "integer":
      return { ...about, maxLength: MAX_VALUE_LENGTH, pattern: mayBeEmpty ? "^[0-9]*$" : "^[0-9]+$" };
    default:
      return { ...about, maxLength: MAX_VALUE_LENGTH, pattern: NO_CONTROL_CHARACTERS };
  }
}

function redisUrlPattern(mayBeEmpty: boolean): string {
  const withoutSecret = `(?!.*(?:${SECRET_WORDS.map(anyCasePattern).join("|")})=)`;
  return `^${withoutSecret}(?:${REDIS_URL})${mayBeEmpty ? "?" : ""}$`;
}
