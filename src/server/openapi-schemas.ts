import * as z from "zod";
import * as bodies from "../core/api/bodies.ts";

export type Json = Readonly<Record<string, unknown>>;

/** Request bodies are described in their routes, with the keys of the runtime contract. */
export function componentSchemas(): Json {
  const components = Object.entries(bodies).filter(([name]) => name.endsWith("Body"));
  components.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(components.map(([name, body]) => [componentName(name), schemaOf(body)]));
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
  const name = Object.entries(bodies).find(([, body]) => body === schema)?.[0];
  return name === undefined ? undefined : { $ref: `#/components/schemas/${componentName(name)}` };
}

/** `envReadBody` becomes `EnvRead`: generators name the request body of an operation with `Body`. */
function componentName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replace(/Body$/, "");
}
