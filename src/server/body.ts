import type { FastifyInstance, FastifyRequest } from "fastify";
import { SvcmError } from "../core/index.ts";
import type { Limits } from "./limits.ts";
import type { McpRoute, OperationRoute, Route } from "./route.ts";
import * as z from "zod";
import { TIME_FORMAT } from "../core/api/rollout-inputs.ts";
import { readSince } from "../core/words/time.ts";
import { once } from "../core/words/once.ts";

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

export interface Parameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: z.core.JSONSchema.BaseSchema;
}

type Value = string | number | boolean | readonly string[];

export type QueryReader = (query: Readonly<Record<string, unknown>>) => Record<string, Value>;

export function parametersOf(input: z.core.$ZodType, names: readonly string[]): Parameter[] {
  // Without parameters, the input need not have a JSON Schema.
  if (names.length === 0) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: "input" });
  return names.map((name) => {
    const schema = properties[name];
    if (typeof schema !== "object") throw new TypeError(`No input ${name}`);
    return { name, isRequired: required.includes(name), schema };
  });
}

/**
 * Strict, because a misspelled parameter would silently select a different environment. It describes the parameters at
 * the first request, because a server starts with all of its routes and is asked few of them.
 */
export function queryReader(describe: () => readonly Parameter[], now: () => number): QueryReader {
  const described = once(() => new Map(describe().map((parameter) => [parameter.name, parameter])));
  return (query) => {
    const byName = described();
    const values: Record<string, Value> = {};
    for (const [name, value] of Object.entries(query)) {
      const parameter = byName.get(name);
      if (parameter === undefined) throw unknownParameter(name, [...byName.keys()]);
      if (isList(parameter)) {
        values[name] = value === "true" ? true : [value].flat().map(String);
        continue;
      }
      if (typeof value !== "string") throw repeatedParameter(name);
      values[name] = parseValue(parameter, value, now);
    }
    return values;
  };
}

/** A list of names, or `true` for those that svcm selects. */
function isList({ schema }: Parameter): boolean {
  return schema.anyOf?.some((one) => typeof one === "object" && one.type === "array") === true;
}

function parseValue(parameter: Parameter, value: string, now: () => number): Value {
  // As one parameter, because a repeated one is refused.
  if (parameter.schema.type === "array") return value.split(",").filter(Boolean);
  const isTime = parameter.schema.format === TIME_FORMAT && !/^\d+$/.test(value);
  if (isTime) return readSince(value, now(), parameter.name);
  if (parameter.schema.type === "integer") return parseInteger(parameter, value);
  return parameter.schema.type === "boolean" ? parseBoolean(parameter, value) : value;
}

function parseBoolean({ name }: Parameter, value: string): boolean {
  if (value === "true" || value === "false") return value === "true";
  throw new SvcmError("INVALID_REQUEST", { details: `${name}: expected true or false.` });
}

function parseInteger({ name, schema }: Parameter, value: string): number {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  throw new SvcmError("INVALID_REQUEST", { details: `${name}: expected an integer from ${minimum} to ${maximum}.` });
}

export function repeatedParameter(name: string): SvcmError {
  const kind = name === "environment" ? "INVALID_ENVIRONMENT" : "INVALID_REQUEST";
  return new SvcmError(kind, { details: `The parameter ${name} is given more than once. Give it once.` });
}

function unknownParameter(name: string, accepted: readonly string[]): SvcmError {
  return new SvcmError("INVALID_REQUEST", {
    details: `Unknown query parameter ${JSON.stringify(name.slice(0, 80))}. Accepted: ${accepted.join(", ") || "none"}.`,
  });
}
