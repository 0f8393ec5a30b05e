import { defineOperation } from "../operation.ts";

/** JSON Schema of a document that people write, that of deployments.yaml from the facts of this repository; or the description of the WebSocket. */
export const schemaShow = defineOperation({
  id: "schema.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ facts }, { document }): Promise<Record<string, unknown>> {
    if (document === "asyncapi") return (await import("../api/asyncapi.ts")).asyncApiDocument();
    if (document === "deployments") {
      const { documentSchema } = await import("../deployments/schema/document.ts");
      return documentSchema({ contract: await facts.runtimeContract(), matrix: await facts.capabilityMatrix() });
    }
    const { jsonSchemaOf } = await import("../facts/json-schema.ts");
    return jsonSchemaOf(document);
  },
});
