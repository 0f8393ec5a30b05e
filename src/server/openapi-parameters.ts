import { inputs } from "../core/api/inputs.ts";
import { wordPattern } from "../core/api/word-pattern.ts";
import { ecosystemSpellings, envSpellings, type Ports } from "../core/index.ts";
import type { Json } from "./openapi-schemas.ts";
import { parametersOf } from "./query.ts";
import { isRemote, type ContentRoute, type OperationRoute } from "./route.ts";

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
