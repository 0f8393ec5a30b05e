import { defineOperation } from "../operation.ts";

/** JSON Schema of a document that people write, or the description of the WebSocket. */
export const schemaShow = defineOperation({
  id: "schema.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(_ports, { document }): Promise<Record<string, unknown>> {
    if (document === "asyncapi") return (await import("../contract/asyncapi.ts")).asyncApiDocument();
    const { jsonSchemaOf } = await import("../facts/json-schema.ts");
    return jsonSchemaOf(document);
  },
});
