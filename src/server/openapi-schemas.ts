import * as z from "zod";
import * as bodies from "../core/api/bodies.ts";
import { issueBody } from "../core/api/issue-body.ts";
import * as rollout from "../core/api/rollout.ts";

export type Json = Readonly<Record<string, unknown>>;

/** The bodies of the API by name. */
const named = Object.entries<unknown>({ ...bodies, issueBody, ...rollout }).filter(([name]) => name.endsWith("Body"));

/** Request bodies are described in their routes, with the keys of the runtime contract. */
export function componentSchemas(): Json {
  const components = named.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(components.map(([name, body]) => [componentName(name), schemaOf(body as z.core.$ZodType)]));
}

/** A JSON Schema that refers to other bodies by name. */
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
  const name = named.find(([, body]) => body === schema)?.[0];
  return name === undefined ? undefined : { $ref: `#/components/schemas/${componentName(name)}` };
}

/** `envReadBody` becomes `EnvRead`: generators name the request body of an operation with `Body`. */
function componentName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replace(/Body$/, "");
}
