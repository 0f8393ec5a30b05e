import { defineOperation } from "../operation.ts";

/** JSON Schema of a document that people write. */
export const schemaShow = defineOperation({
  id: "schema.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(_ports, { document }): Promise<Record<string, unknown>> {
    const { jsonSchemaOf } = await import("../facts/json-schema.ts");
    return jsonSchemaOf(document);
  },
});
